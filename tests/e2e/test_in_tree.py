"""The in-tree operator of examples/in_tree through the command line, end to end, beside the operator that was bound by hand.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem. The tree is copied, so that the checkout stays clean.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
TOOL = BUILD / "bin/shmem-bind"
PYTHON = ROOT / ".venv/bin/python"
ROOTS = ["--cann", BUILD / "cann", "--shmem", BUILD / "shmem", "--python", PYTHON]


def tool(*arguments):
    return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)


def files_of(tree):
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


class InTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        cls.tree = cls.folder / "tree"
        shutil.copytree(ROOT / "examples/in_tree", cls.tree, ignore=shutil.ignore_patterns("build", "install", "__pycache__"))
        cls.op = cls.tree / "examples/ring_shift"
        cls.before = files_of(cls.tree)
        cls.build = tool("build", cls.op, *ROOTS)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def start(self, path, *arguments):
        """A program as a person runs it, with nothing but the two set_env.sh sourced."""
        shell = f'. {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; exec "$@"'
        command = ["bash", "-c", shell, "run", str(PYTHON), str(self.tree / path), *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_1_the_committed_files_are_what_generate_writes(self):
        result = tool("diff", self.op)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_2_the_trees_script_builds_it_into_the_trees_library(self):
        self.assertEqual(self.build.returncode, 0, self.build.stdout + self.build.stderr)
        self.assertTrue((self.tree / "install/shmem/lib/aclshmem_torch.so").is_file())
        self.assertTrue((self.tree / "install/shmem/torch_binding/kernels/libring_shift_kernel.so").is_file())
        again = tool("build", self.op, *ROOTS)
        self.assertEqual(again.returncode, 0)
        self.assertNotIn("built", again.stdout)

    def test_3_it_is_verified_on_2_and_8_pes(self):
        result = tool("verify", self.op, "--seeds", "1", "--calls", "3", "--fork-only", *ROOTS)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        verdict = json.loads((self.tree / "build/shmem-bind/ring_shift/verdict.json").read_text(encoding="utf-8"))
        self.assertEqual(verdict["why"], ["not started by spawn, torchrun"])  # --fork-only
        self.assertEqual(verdict["warnings"], [])
        self.assertEqual({job["pes"] for job in verdict["jobs"]}, {2, 8})
        self.assertTrue(all(job["records"] > 0 for job in verdict["jobs"]))

    def test_4_programs_run_without_the_tool(self):
        runs = {
            self.start("examples/python_extension/torch_test/pair_exchange.py", "--pes", "2"): ["2 个 PE 全部通过"],
            self.start(ROOT / "tests/e2e/programs/in_tree.py", str(self.tree), str(free_port())):
                ["before attr_init: RingShift: SHMEM is not initialised", "compiled: True True", "after close: RingShift: used after close()",
                 "after finalize: RingShift: used after close() or Manager.finalize()", "end"],
        }
        for run, expected in runs.items():
            output, _ = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, output)
            for words in expected:
                self.assertIn(words, output)

    def test_5_a_library_of_the_other_mode_is_refused(self):
        other = self.tree / "install/shmem/lib/shmem_custom_ops_torch.so"
        other.write_bytes(b"")
        for command in ("build", "verify", "run"):
            result = tool(command, self.op, *ROOTS)
            self.assertEqual(result.returncode, 10, command)
            self.assertIn("shmem_custom_ops_torch.so", result.stderr)
        other.unlink()

    def test_6_a_missing_instantiation_is_named_by_dtype(self):
        source = self.op / "ring_shift_kernel.cpp"
        text = source.read_text(encoding="utf-8")
        line = next(line for line in text.splitlines(keepends=True) if line.startswith("template void aclshmem_ring_shift<float>"))
        source.write_text(text.replace(line, ""), encoding="utf-8")
        result = tool("build", self.op, *ROOTS)
        source.write_text(text, encoding="utf-8")
        self.assertEqual(result.returncode, 12, result.stdout + result.stderr)
        self.assertIn("fp32", result.stderr)
        self.assertNotIn("fp16", result.stderr)

    def test_7_clean_takes_out_what_is_ours_and_names_what_it_leaves(self):
        result = tool("clean", self.op)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("left install/shmem/lib/aclshmem_torch.so: scripts/build.sh of the tree made it", result.stdout)
        marks = {path for path, text in files_of(self.tree / "examples").items() if b"shmem-bind:" in text or b"Written by shmem-bind" in text}
        self.assertEqual(marks, set())
        self.assertEqual(tool("generate", self.op).returncode, 0)
        after = files_of(self.tree)
        self.assertEqual({path: after.get(path) for path in self.before}, self.before)


if __name__ == "__main__":
    unittest.main()
