"""shmem-bind prove on a few variants: wrong ones are found by the jobs of verify, and a part proves nothing and writes nothing.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import json
import pathlib
import tempfile
import unittest

from example_tree import copy_example
from known_bugs import BUILD, ROOTS, run

TOOL = BUILD / "bin/shmem-bind"
WANTED = "b01,b13,b31,k01,t01,t03"  # of every kind


class Prove(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="shmem-bind-e2e-")
        cls.op = pathlib.Path(cls.folder.name) / "custom-ops/all_gather"
        copy_example(cls.op.parent, "all_gather")
        built = run(TOOL, "run", cls.op, "--pes", "2", "--fork-only", *ROOTS)
        assert cls.op.joinpath("build/lib/liball_gather_kernel.so").exists(), built.stdout + built.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_part_is_found_and_proves_nothing(self):
        done = run(TOOL, "prove", self.op, "--only", WANTED, "--format", "json", *ROOTS)
        self.assertEqual(done.returncode, 13, done.stdout + done.stderr)
        proof = json.loads(done.stdout)["proof"]
        states = {row["id"]: row["state"] for row in proof["mutants"]}
        self.assertEqual(states, dict.fromkeys(WANTED.split(","), "killed"), done.stdout)
        self.assertEqual(proof["state"], "unverified")
        self.assertFalse((self.op / "build/prove.json").exists())

    def test_a_binding_that_was_edited_is_not_proved(self):
        path = self.op.parent / "torch_binding/src/torch_bind_all_gather.cpp"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("epoch_.advance();", ""), encoding="utf-8")
        done = run(TOOL, "prove", self.op, *ROOTS)
        path.write_text(text, encoding="utf-8")
        self.assertEqual(done.returncode, 11, done.stdout + done.stderr)
        self.assertIn("torch_bind_all_gather.cpp", done.stdout + done.stderr)
        self.assertIn("way out", done.stdout + done.stderr)

    def test_an_unknown_variant_is_said(self):
        done = run(TOOL, "prove", self.op, "--only", "b999", *ROOTS)
        self.assertEqual(done.returncode, 13, done.stdout + done.stderr)
        self.assertIn("b999", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
