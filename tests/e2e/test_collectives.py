"""The examples broadcast, gather_to_root and all_to_all, end to end, in one tree.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem. The tree is copied, so that the checkout stays clean.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from example_tree import copy_example
from test_all_gather import BUILD, ROOT, free_port, roots, tool

OPERATORS = ["broadcast", "gather_to_root", "all_to_all"]


class Collectives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        cls.tree = cls.folder / "custom-ops"
        copy_example(cls.tree, *OPERATORS)
        cls.builds = {op: tool("build", cls.tree / op, *roots()) for op in OPERATORS}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def in_environment(self, *command):
        """A command with the simulated CANN and all kernel libraries."""
        kernels = ":".join(str(self.tree / op / "build/lib") for op in OPERATORS)
        script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
                  f"export LD_LIBRARY_PATH={kernels}:$LD_LIBRARY_PATH; exec \"$@\"")
        return ["bash", "-c", script, "run", *map(str, command)]

    def program(self, name, *arguments):
        """Runs a program of tests/e2e/programs on the built binding; its output."""
        library = self.tree / "torch_binding/build/lib/shmem_custom_ops_torch.so"
        command = self.in_environment(ROOT / ".venv/bin/python", ROOT / "tests/e2e/programs" / name, library, *arguments, free_port())
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr[-4000:])
        return result.stdout

    def test_they_build_and_the_committed_files_are_what_generate_writes(self):
        for op, build in self.builds.items():
            self.assertEqual(build.returncode, 0, build.stdout + build.stderr)
            result = tool("diff", self.tree / op)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_they_are_verified_on_3_and_8_pes(self):  # the C++ programs run on other counts
        for op in OPERATORS:
            with self.subTest(op=op):
                result = tool("verify", self.tree / op, "--pes", "3,8", "--seeds", "1", "--calls", "4", "--fork-only", *roots())
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn(f"{op}: verified on 3 and 8 PEs", result.stdout)

    def run_cpp_program(self, op, pes, environment):
        program, endpoint = self.tree / op / f"build/bin/{op}", f"tcp://127.0.0.1:{free_port()}"
        running = [subprocess.Popen(self.in_environment(program, pe, pes, endpoint), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True, env={**os.environ, "SHMEM_SIM_WAIT_TIMEOUT_MS": "20000", **environment})
                   for pe in range(pes)]
        for pe, process in enumerate(running):
            said = process.communicate(timeout=100)[0]
            self.assertEqual(process.returncode, 0, said)
            self.assertIn(f"PE {pe} of {pes}: PASS", said)

    def test_their_cpp_programs_pass(self):
        settings = [(1, {}), (2, {"SHMEM_SIM_BLOCK_ORDER": "reverse"}), (4, {"SHMEM_SIM_SEED": "11", "SHMEM_SIM_SLOW_PE": "2"})]
        for op in OPERATORS:
            for pes, environment in settings:
                with self.subTest(op=op, pes=pes):
                    self.run_cpp_program(op, pes, environment)

    def test_compile_and_export_see_through_the_functional_form(self):
        output = self.program("tracing.py", ",".join(OPERATORS)).splitlines()
        for op in OPERATORS:
            expected = ["objects True False False True", "mutates ['output']", f"export: ['shmem_ops.{op}.default'] True", "meta None"]
            for backend in ("eager", "aot_eager"):
                expected += [f"compile {backend}, output made inside: True", f"compile {backend}, output given: True"]
                expected += [f"compile {backend}, no output: True"] if op == "gather_to_root" else []
            for line in expected:
                self.assertIn(f"{op}: {line}", output)

    def test_a_wrong_call_is_refused_by_name_and_harms_nothing(self):
        said = dict(line.split(": ", 1) for line in self.program("misuse_collectives.py").splitlines() if ": " in line)
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

    def test_the_python_package_is_typed(self):
        result = subprocess.run([ROOT / ".venv/bin/python", "-m", "mypy", "--strict", "--follow-imports=skip", "--cache-dir",
                                 self.folder / "mypy", "shmem_custom_ops"], cwd=self.tree / "torch_binding/python",
                                capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
