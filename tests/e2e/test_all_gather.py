"""AllGather through the command line, end to end, and broken variants that verify must fail.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem. Trees are copied, so that the checkout stays clean.
"""

import json
import os
import pathlib
import runpy
import shutil
import subprocess
import tempfile
import time
import unittest
import uuid

from example_tree import built_broken, built_example, copy_example
from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
TOOL = BUILD / "bin/shmem-bind"


def tool(*arguments):
    return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True, check=False, timeout=600)


def processes_with(mark):
    """Command lines of the living processes that have `mark` in their environment."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass  # it has ended, or is not ours
    return found


def roots():
    return ["--cann", BUILD / "cann", "--shmem", BUILD / "shmem", "--python", ROOT / ".venv/bin/python"]


class AllGather(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        tree, said = built_example(BUILD, "all_gather")
        cls.tree = tree.parent
        cls.op = tree / "all_gather"
        cls.build = said["all_gather"]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_the_committed_files_are_what_generate_writes(self):
        result = tool("diff", self.op)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_it_builds_and_a_second_build_does_nothing(self):
        self.assertEqual(self.build.returncode, 0, self.build.stdout + self.build.stderr)
        again = tool("build", self.op, *roots())
        self.assertEqual(again.returncode, 0)
        self.assertNotIn("built", again.stdout)
        self.assertIn("up to date", again.stdout)

    def program(self, name, *arguments):
        """Runs a program of tests/e2e/programs on the built binding; its output."""
        script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
                  f"export LD_LIBRARY_PATH={self.op}/build/lib:$LD_LIBRARY_PATH; exec \"$@\"")
        library = self.tree / "custom-ops/torch_binding/build/lib/shmem_custom_ops_torch.so"
        command = [ROOT / ".venv/bin/python", ROOT / "tests/e2e/programs" / name, library, *arguments, free_port()]
        result = subprocess.run(["bash", "-c", script, "run", *map(str, command)], capture_output=True, text=True, check=False,
                                timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr[-4000:])
        self.said = result.stderr
        return result.stdout

    def test_a_thousand_calls_back_to_back_without_a_host_barrier(self):
        for pes in (2, 4, 8):
            self.assertIn("1000 calls were right", self.program("many_calls.py", pes, 100, 1000, 1000))

    def test_five_thousand_calls_on_one_object(self):
        self.assertIn("5000 calls were right", self.program("many_calls.py", 2, 100, 5000, 500))
        self.assertIn("5000 calls were right", self.program("many_calls.py", 4, 9001, 5000, 50))  # the path of large inputs

    def test_compile_and_export_see_through_the_functional_form(self):
        output = self.program("tracing.py", "all_gather")
        self.assertIn("objects True False False True", output)
        self.assertIn("mutates ['output']", output)
        for backend in ("eager", "aot_eager"):
            self.assertIn(f"compile {backend}, output made inside: True", output)
            self.assertIn(f"compile {backend}, output given: True", output)
        self.assertIn("export: ['shmem_ops.all_gather.default'] True", output)
        self.assertIn("meta None", output)
        self.assertIn("a dispatch mode sees ['shmem_ops.all_gather.default']", output)

    def test_a_second_binding_in_the_process_leaves_the_first_alone(self):
        self.assertIn("computed True", self.program("two_bindings.py"))
        self.assertRegex(self.said, "ShmemOps.Manager is registered already by another library")

    def test_the_python_package_is_typed(self):
        package = self.tree / "custom-ops/torch_binding/python"
        result = subprocess.run([ROOT / ".venv/bin/python", "-m", "mypy", "--strict", "--follow-imports=skip", "--cache-dir",
                                 self.folder / "mypy", "shmem_custom_ops"], cwd=package, capture_output=True, text=True, check=False,
                                timeout=100)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_python_package_names_what_builds_a_library_that_is_missing(self):
        copy = self.folder / "unbuilt_package/custom-ops/torch_binding"
        shutil.copytree(self.tree / "custom-ops/torch_binding/python", copy / "python")
        result = subprocess.run(["bash", "-c", f". {BUILD}/cann/set_env.sh; exec {ROOT}/.venv/bin/python -c "
                                 "'import shmem_custom_ops.all_gather'"], cwd=copy / "python", capture_output=True, text=True,
                                check=False, timeout=100, env={**os.environ, "LD_LIBRARY_PATH": ""})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("all_gather/scripts/build_kernel.sh", result.stderr)

    def test_a_wrong_call_is_refused_by_name_and_harms_nothing(self):
        said = dict(line.split(": ", 1) for line in self.program("misuse.py").splitlines() if ": " in line)
        expected = {
            "before attr_init": "AllGather: SHMEM is not initialised",
            "bad endpoint": "INVALID_PARAM",
            "PE out of range": "PE 3",
            "port in use": "in use",
            "a heap that is too small": "raise local_mem_size",
            "attr_init twice": "initialised already",
            "output on the CPU": "output",
            "input on the CPU": "input",
            "other dtypes": "output has dtype",
            "dtype outside the contract": "dtype",
            "wrong shape": "[n_pes, rows, cols]",
            "wrong rank": "input must be [rows, cols]",
            "an expanded output": "output",
            "input inside the output": "input",
            "after all that": "True",
            "after close": "used after close()",
            "after finalize": "not initialised",
        }
        for name, words in expected.items():
            self.assertIn(words, said[name])

    def test_a_kill_at_any_moment_leaves_no_process_and_no_shared_memory(self):
        before = set(os.listdir("/dev/shm"))
        for moment in (0.4, 1.0, 1.9, 2.6, 3.3, 4.1):
            mark = f"SHMEM_BIND_E2E_MARK={uuid.uuid4()}"
            name, value = mark.split("=")
            command = [str(TOOL), "verify", str(self.op), "--pes", "4", *map(str, roots())]
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, name: value})
            time.sleep(moment)
            self.assertTrue(processes_with(mark), "killed too late: it has ended")
            run.kill()
            run.wait()
            deadline = time.monotonic() + 5
            while (left := processes_with(mark)) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(left, [], f"killed after {moment} s")
        self.assertEqual(set(os.listdir("/dev/shm")), before)

    def test_a_torchrun_that_leaves_no_result_has_failed(self):
        test = runpy.run_path(str(ROOT / "examples/custom-ops/all_gather/scripts/torch_test_all_gather.py"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "0.json")
            pathlib.Path(path + ".log").write_text("said")
            result = test["multi_pe_launch"].end_torchrun({"pes": 2, "launcher": "torchrun", "deadline": 10}, subprocess.Popen(["true"]), path)
        self.assertFalse(result["passed"])
        self.assertEqual(result["problems"], ["torchrun 没有留下结果"])

    def test_it_is_verified_on_2_and_8_pes(self):
        result = tool("verify", self.op, *roots())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        verdict = json.loads((self.op / "build/verdict.json").read_text(encoding="utf-8"))
        self.assertEqual(verdict["state"], "verified")
        self.assertEqual({job["pes"] for job in verdict["jobs"]}, {2, 8})
        self.assertEqual({job["launcher"] for job in verdict["jobs"]}, {"fork", "spawn", "torchrun"})
        self.assertTrue(all(job["records"] > 0 for job in verdict["jobs"]))

    def test_more_pes_than_the_contract_allows_are_refused(self):
        result = tool("verify", self.op, "--pes", "17", *roots())
        self.assertEqual(result.returncode, 10)
        self.assertIn("1..16", result.stderr)

    def test_an_operator_that_was_never_built_is_refused_by_verify(self):
        other = self.folder / "unbuilt"
        copy_example(other / "custom-ops", "all_gather")
        result = tool("verify", other / "custom-ops/all_gather", *roots())
        self.assertEqual(result.returncode, 12)
        self.assertIn("shmem-bind build", result.stderr)

    def test_a_kernel_that_does_not_compile_fails_the_build_and_says_where(self):
        other = self.folder / "no_compile"
        copy_example(other / "custom-ops", "all_gather")
        source = other / "custom-ops/all_gather/src/all_gather_kernel.cpp"
        source.write_text(source.read_text(encoding="utf-8").replace("int32_t round = 0;", "int32_t round = nonsense;"), encoding="utf-8")
        result = tool("build", other / "custom-ops/all_gather", *roots())
        self.assertEqual(result.returncode, 12)
        self.assertIn("all_gather_kernel.cpp", result.stderr)
        self.assertIn("nonsense", result.stderr)


class Broken(unittest.TestCase):
    """Each variant must fail, every time, with exit code 13."""

    def check(self, name):
        op = built_broken(BUILD, name) / "all_gather"
        for _ in range(int(os.environ.get("SHMEM_BIND_E2E_REPEATS", "1"))):
            result = tool("verify", op, "--pes", "2", "--fork-only", *roots())
            self.assertEqual(result.returncode, 13, result.stdout + result.stderr)
            self.assertIn("NOT VERIFIED", result.stdout)
            self.assertIn("结果不符", result.stdout)

    def test_a_signal_before_its_data(self):
        self.check("kernel_signal_before_data")

    def test_a_stale_epoch_accepted(self):
        self.check("kernel_stale_epoch")

    def test_the_storage_base_used(self):
        self.check("binding_storage_base")

    def test_the_epoch_not_passed(self):
        self.check("binding_epoch_not_passed")

    def test_the_default_stream_used(self):
        self.check("binding_default_stream")

    def test_the_stream_of_construction_used(self):
        self.check("binding_stream_of_construction")

    def test_bl_30_the_state_shared_by_objects(self):
        self.check("binding_shared_state")

    def test_bl_04_permuted_memory_taken_as_it_lies(self):
        self.check("binding_permuted_taken_as_it_lies")

    def test_bl_05_the_copy_dropped(self):
        self.check("binding_copy_dropped")


if __name__ == "__main__":
    unittest.main()
