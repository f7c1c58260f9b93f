"""An operator that adds, tests/e2e/reduction, from its contract to a verdict by tolerance; and the same with a PE left out.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
ROOTS = ["--cann", BUILD / "cann", "--shmem", BUILD / "shmem", "--python", ROOT / ".venv/bin/python"]
ALL_PES = "pe < pes; ++pe) {\n      sum +="


def tool(command, op, *arguments):
    words = [BUILD / "bin/shmem-bind", command, op, *arguments, *(ROOTS if command != "generate" else [])]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=400)


class Reduction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        cls.op = cls.folder / "custom-ops/all_reduce"
        shutil.copytree(ROOT / "tests/e2e/reduction", cls.op)
        project = (ROOT / "examples/custom-ops/broadcast/CMakeLists.txt").read_text(encoding="utf-8")
        library, _, _ = project.replace("broadcast", "all_reduce").partition("\nadd_executable(")
        (cls.op / "CMakeLists.txt").write_text(library, encoding="utf-8")
        for command in ("generate", "build"):
            done = tool(command, cls.op)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_test(self, *arguments):
        script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
                  f"exec bash {self.op}/scripts/run_torch_test.sh \"$@\"")
        return subprocess.run(["bash", "-c", script, "run", *arguments], capture_output=True, text=True, check=False, timeout=200,
                              env={**os.environ, "PYTHON": str(ROOT / ".venv/bin/python")})

    def test_1_it_is_verified(self):
        result = tool("verify", self.op, "--pes", "2,5", "--seeds", "1..2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("all_reduce: nothing failed, but not verified", result.stdout)
        self.assertIn("not run on 8 PEs", result.stdout)

    def test_2_the_comparison_is_printed(self):
        for launcher in ("fork", "torchrun"):
            result = self.run_test("--pes", "3", "--launcher", launcher)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("条结果: 通过 (int32 逐位相等; float32 容差 rtol = atol = 0.000488, 偏差不超过 6.1e-05)", result.stdout)

    def test_3_a_pe_left_out_is_found(self):
        source = self.op / "src/all_reduce_kernel.cpp"
        text = source.read_text(encoding="utf-8")
        self.assertIn(ALL_PES, text)
        source.write_text(text.replace(ALL_PES, ALL_PES.replace("pe < pes", "pe < pes - 1")), encoding="utf-8")
        self.assertEqual(tool("build", self.op).returncode, 0)
        result = tool("verify", self.op, "--pes", "2", "--seeds", "1", "--fork-only")
        self.assertEqual(result.returncode, 13, result.stdout + result.stderr)
        said = self.run_test("--pes", "2", "--dtype", "fp32")
        self.assertNotEqual(said.returncode, 0)
        self.assertRegex(said.stdout, r"结果不符 .*误差 [0-9.]+ \(上限 0.000488\)")


if __name__ == "__main__":
    unittest.main()
