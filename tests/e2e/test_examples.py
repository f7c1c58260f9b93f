"""The example operators beside AllGather: committed files, C++ programs, verdicts, what they refuse, and a broken kernel.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from example_tree import built_example, copy_example
from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
ROOTS = ["--cann", BUILD / "cann", "--shmem", BUILD / "shmem", "--python", ROOT / ".venv/bin/python"]
COLLECTIVES = ["broadcast", "gather_to_root", "all_to_all"]
OPERATORS = ["halo_exchange", "kv_shuffle", *COLLECTIVES]
ENVIRONMENT = f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300, **options)


def tool(command, op, *arguments):
    return run(BUILD / "bin/shmem-bind", command, op, *arguments)


def run_program(op, pes, **settings):
    """The operator's C++ program on `pes` PEs; exit codes and everything that was said."""
    script = ENVIRONMENT + f"export LD_LIBRARY_PATH={op}/build/lib:$LD_LIBRARY_PATH; exec {op}/build/bin/{op.name} \"$@\""
    environment = {**os.environ, "SHMEM_SIM_WAIT_TIMEOUT_MS": "20000", **{k: str(v) for k, v in settings.items()}}
    endpoint = f"tcp://127.0.0.1:{free_port()}"
    started = [subprocess.Popen(["bash", "-c", script, "run", str(pe), str(pes), endpoint], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for pe in range(pes)]
    said = "".join(process.communicate(timeout=100)[0] for process in started)
    return [process.returncode for process in started], said


def setUpModule():
    global TREE
    TREE, _ = built_example(BUILD, *OPERATORS)


class Example:
    """What holds for every operator; a class below for each."""

    PES = ()         # of the C++ program
    VERIFIED = ""    # --pes of verify; shmem-bind run tries more counts, seeds and launchers
    QUIET = ""       # the line that completes data before its signal

    @property
    def op(self):
        return TREE / self.NAME

    def test_the_committed_files_are_what_generate_writes(self):
        result = tool("diff", self.op)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_its_program_passes(self):
        for pes in self.PES:
            for settings in ({}, {"SHMEM_SIM_SEED": pes, "SHMEM_SIM_SLOW_PE": pes - 1}):
                codes, said = run_program(self.op, pes, **settings)
                self.assertEqual(codes, [0] * pes, f"{settings}\n{said[-4000:]}")
                self.assertEqual(said.count("PASS"), pes)

    def test_its_program_sees_a_signal_before_its_data(self):
        folder = tempfile.mkdtemp(prefix="shmem-bind-e2e-")
        self.addCleanup(shutil.rmtree, folder)
        broken = pathlib.Path(folder) / "custom-ops"
        copy_example(broken, self.NAME)
        source = broken / self.NAME / f"src/{self.NAME}_kernel.cpp"
        text = source.read_text(encoding="utf-8")
        self.assertIn(self.QUIET, text)
        source.write_text(text.replace(self.QUIET, ""), encoding="utf-8")
        built = run("bash", "-c", f"{ENVIRONMENT} exec bash {broken}/{self.NAME}/scripts/build_kernel.sh")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        codes, said = run_program(broken / self.NAME, 4, SHMEM_SIM_SEED=1)
        self.assertNotEqual(codes, [0] * 4)
        self.assertIn("wrong", said)

    def test_it_is_verified(self):
        result = tool("verify", self.op, "--pes", self.VERIFIED, "--seeds", "3", "--fork-only", *ROOTS)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, f"{self.NAME}: (verified|nothing failed)")  # fewer PEs and launchers than a verdict wants

    def refused_call(self, *arguments):
        """What the generated test says when its operator refuses."""
        script = ENVIRONMENT + f"exec bash {self.op}/scripts/run_torch_test.sh \"$@\""
        result = run("bash", "-c", script, "run", *arguments, env={**os.environ, "PYTHON": str(ROOT / ".venv/bin/python")})
        self.assertNotEqual(result.returncode, 0)
        return result.stdout + result.stderr


class KVShuffle(Example, unittest.TestCase):
    NAME = "kv_shuffle"
    PES = (2, 4, 8)
    VERIFIED = "4"
    QUIET = "    aclshmem_quiet();  // the piece is complete before the peer hears of it\n"

    def test_an_odd_number_of_pes_is_refused(self):
        result = tool("verify", self.op, "--pes", "3", *ROOTS)
        self.assertEqual(result.returncode, 10)
        self.assertIn("2..8, a multiple of 2", result.stderr)
        self.assertIn("KVShuffle: 3 PEs; it works with 2..8, a multiple of 2", self.refused_call("--pes", "3"))


class HaloExchange(Example, unittest.TestCase):
    NAME = "halo_exchange"
    PES = (1, 3, 4, 8)
    VERIFIED = "3,4"
    QUIET = "    aclshmem_quiet();  // edges are complete before anyone hears of them\n"

    def test_a_halo_that_is_wider_than_the_tile_is_refused(self):
        said = self.refused_call("--pes", "2", "--dtype", "fp32", "--shape", "rows=3", "cols=9", "halo=4")
        self.assertIn("HaloExchange: the contract requires halo <= rows && halo <= cols", said)


class Broadcast(Example, unittest.TestCase):
    NAME = "broadcast"
    PES = (2, 8)
    VERIFIED = "3,4"
    QUIET = "    aclshmem_quiet();  // the piece is complete before anyone hears of it\n"


class GatherToRoot(Example, unittest.TestCase):
    NAME = "gather_to_root"
    PES = (2, 8)
    VERIFIED = "3,4"
    QUIET = "    aclshmem_quiet();  // the piece is complete before the root hears of it\n"


class AllToAll(Example, unittest.TestCase):
    NAME = "all_to_all"
    PES = (2, 8)
    VERIFIED = "3,4"
    QUIET = "    aclshmem_quiet();  // the pieces are complete before anyone hears of them\n"


class Programs(unittest.TestCase):
    """Programs of tests/e2e/programs on the binding."""

    def said_by(self, name, *arguments):
        libraries = ":".join(f"{TREE}/{op}/build/lib" for op in OPERATORS)
        script = ENVIRONMENT + f"export LD_LIBRARY_PATH={libraries}:$LD_LIBRARY_PATH; exec \"$@\""
        result = run("bash", "-c", script, "run", ROOT / ".venv/bin/python", ROOT / "tests/e2e/programs" / name,
                     TREE / "torch_binding/build/lib/shmem_custom_ops_torch.so", *arguments, free_port())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr[-4000:])
        return result.stdout.splitlines()

    def test_compile_and_export_see_through_the_functional_forms(self):
        said = self.said_by("tracing_examples.py")
        for name in ("halo_exchange", "kv_shuffle"):
            for way in ("compile eager", "compile aot_eager", "export"):
                self.assertIn(f"{name}, {way}: True", said)

    def test_compile_and_export_see_through_collectives(self):
        said = self.said_by("tracing.py", ",".join(COLLECTIVES))
        for op in COLLECTIVES:
            expected = ["objects True False False True", "mutates ['output']", f"export: ['shmem_ops.{op}.default'] True", "meta None",
                        f"a dispatch mode sees ['shmem_ops.{op}.default']"]
            for backend in ("eager", "aot_eager"):
                expected += [f"compile {backend}, output made inside: True", f"compile {backend}, output given: True"]
                expected += [f"compile {backend}, no output: True"] if op == "gather_to_root" else []
            for line in expected:
                self.assertIn(f"{op}: {line}", said)

    def test_a_wrong_root_or_table_is_refused_by_name_and_harms_nothing(self):
        said = dict(line.split(": ", 1) for line in self.said_by("misuse_collectives.py") if ": " in line)
        expected = {
            "no output on the root": "pe != root || numel(output) == n_pes * numel(input)",
            "no input": "input",
            "output on the CPU": "output is on cpu",
            "output of another dtype": "output has dtype",
            "output of another shape": "output must be [n_pes, rows, cols]",
            "an expanded output": "output",
            "input inside the output": "output",
            "root too large": "root < n_pes",
            "root negative": "root >= 0",
            "gathered": "True",
            "table of another dtype": "splits has dtype",
            "table of another shape": "splits must be [n_pes, n_pes]",
            "table on the CPU": "splits is on cpu",
            "table of 4 rows": "True",
            "table of -1 rows": "True",
            "table of 2 rows": "True",
            "table of 3 rows": "True",
        }
        for name, words in expected.items():
            self.assertIn(words, said[name])


if __name__ == "__main__":
    unittest.main()
