"""A binding and a test that a person wrote after the template, tests/e2e/by_hand: its own test passes, lint names its faults, verify
fails it; with those faults mended verify still finds that it refuses no wrong call.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from known_bugs import EXAMPLE, PYTHON, ROOT, ROOTS, BUILD, in_environment, run
from ports import free_port

BY_HAND = ROOT / "tests/e2e/by_hand/custom-ops"
CLASS = "torch_binding/src/torch_bind_all_gather.cpp"
TEST = "all_gather/scripts/torch_test_all_gather.py"

# What lint must name: storage base, copy not used, malloc unchecked, memset behind it, queue overtaken, collective destructor, status
# dropped, global under __main__, exit codes ignored, fixed port.
FAULTS = {"L007", "L009", "L010", "L011", "L012", "L013", "L014", "L035", "L036", "L037"}

# (fault, what a person writes in its place)
MENDED = [
    ("input.storage().data()", "const_cast<void*>(static_cast<const void*>(dense.data_ptr()))"),
    ("auto* out = static_cast<uint8_t*>(const_cast<void*>(output.storage().data()));",
     "at::Tensor whole = output.contiguous();\n    auto* out = static_cast<uint8_t*>(whole.data_ptr());"),
    (".stream(false)", ".stream()"),
    ("sync_ptr_ = aclshmem_malloc(bytes);\n    aclrtMemset(sync_ptr_, bytes, 0, bytes);",
     "sync_ptr_ = aclshmem_calloc(1, bytes);\n    TORCH_CHECK(sync_ptr_ != nullptr, \"AllGather: no symmetric memory\");"),
    ("  ~AllGather() { release(); }\n", "  void close() { release(); }\n"),
    ("(AllGather, compute, get_name)", "(AllGather, compute, close, get_name)"),
    ("is not supported\");\n    }\n", "is not supported\");\n    }\n    if (!whole.is_same(output)) {\n      output.copy_(whole);\n    }\n"),
]


class ByHand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        cls.tree = cls.folder / "custom-ops"
        shutil.copytree(BY_HAND, cls.tree)
        for name in ("docs", "src"):
            shutil.copytree(EXAMPLE / "all_gather" / name, cls.tree / "all_gather" / name)
        shutil.copy(EXAMPLE / "all_gather/CMakeLists.txt", cls.tree / "all_gather")
        cls.build("all_gather")
        cls.build("torch_binding")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def build(cls, project):
        folder = cls.tree / project
        for words in (["-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DSHMEM_REPO={BUILD}/shmem", f"-DPython3_EXECUTABLE={PYTHON}"],
                      ["--build", folder / "build"]):
            done = in_environment("cmake", *words)
            if done.returncode != 0:
                raise AssertionError(done.stdout[-4000:] + done.stderr[-2000:])

    def verify(self):
        """Exit code, verdict and report."""
        done = run(BUILD / "bin/shmem-bind", "verify", self.tree / "all_gather", "--pes", "2", "--seeds", "1", "--fork-only", *ROOTS)
        text = (self.tree / "all_gather/build/verdict.json").read_text(encoding="utf-8")
        return done.returncode, json.loads(text), done.stdout + done.stderr

    def test_1_its_own_test_passes(self):
        script = self.tree / TEST
        text = script.read_text(encoding="utf-8")
        self.assertIn("127.0.0.1:8662", text)
        script.write_text(text.replace(":8662", f":{free_port()}"), encoding="utf-8")  # so that tests can run side by side
        paths = ":".join(str(self.tree / name / "build/lib") for name in ("torch_binding", "all_gather"))
        done = in_environment(PYTHON, script, "--pes", "2", env={"LD_LIBRARY_PATH": paths})
        script.write_text(text, encoding="utf-8")
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        for line in ("[PE 0] PASS", "[PE 1] PASS", "All processes finished successfully"):
            self.assertIn(line, said)

    def test_2_lint_names_its_faults(self):
        done = run(BUILD / "bin/shmem-bind", "lint", self.tree)
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        self.assertEqual(FAULTS - set(re.findall(r"error\[(L\d+)\]", done.stdout)), set(), done.stdout)

    def test_3_verify_fails_it_and_says_why(self):
        before = (self.tree / TEST).read_bytes()
        code, verdict, said = self.verify()
        self.assertEqual((code, verdict["state"]), (13, "failed"), said)
        self.assertIn("结果不符", said)
        wrong = {call["layout"] for job in verdict["jobs"] for call in job.get("failed_calls", [])}
        for layout in ("offset_view", "strided"):
            self.assertTrue(any(layout in text for text in wrong), wrong)
        self.assertIn("mismatch", {job.get("class") for job in verdict["jobs"]}, said)
        self.assertIn("is no test of shmem-bind", said)
        self.assertEqual((self.tree / TEST).read_bytes(), before)

    def test_4_mended_it_still_refuses_no_wrong_call(self):
        source = self.tree / CLASS
        text = source.read_text(encoding="utf-8")
        for fault, better in MENDED:
            self.assertIn(fault, text)
            text = text.replace(fault, better)
        source.write_text(text, encoding="utf-8")
        self.build("torch_binding")
        code, verdict, said = self.verify()
        self.assertEqual((code, verdict["state"]), (13, "failed"), said)
        failed = [job for job in verdict["jobs"] if not job["passed"]]
        self.assertEqual([job["name"] for job in failed], ["2 PEs, wrong calls"], said)
        self.assertIn("错误的调用没有被拒绝", failed[0]["first_error"])
        self.assertEqual([check["name"] for check in verdict["checks"] if check["state"] == "open"], ["tree"], said)


if __name__ == "__main__":
    unittest.main()
