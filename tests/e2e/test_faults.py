"""Faults of a PE, of the test and of its surroundings: each ends with its own class and leaves nothing behind.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem. The faults are in programs/faults.py.
"""

import argparse
import json
import os
import pathlib
import runpy
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from example_tree import built_example
from test_all_gather import ROOT, TOOL, processes_with, roots

BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
MARK = "SHMEM_BIND_FAULTS_MARK"


def command(tree, *words):
    script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
              f"export LD_LIBRARY_PATH={tree}/all_gather/build/lib:$LD_LIBRARY_PATH; exec \"$@\"")
    return ["bash", "-c", script, "run", str(ROOT / ".venv/bin/python"), *map(str, words)]


class Classified(unittest.TestCase):
    """What classify() makes of exit codes, last steps and output, without a process."""

    launch = runpy.run_path(str(ROOT / "examples/custom-ops/all_gather/scripts/torch_test_all_gather.py"))["multi_pe_launch"]

    def check(self, expected, codes, steps, lines, kinds=None, killed=(), unfinished=()):
        watch = argparse.Namespace(codes=codes, killed=set(killed), stands={}, unfinished=set(unfinished),
                                   lines={pe: lines.get(pe, []) for pe in codes})
        found = self.launch.classify(watch, steps, kinds or {})
        self.assertEqual((found["class"], found["first_error"].split(":")[0]), expected, found)

    def test_who_dies_before_init_did_not_start(self):
        for step, kind in (("device", "launch"), ("load", "load"), ("init", "init"), ("compute", "lifecycle"), ("finalize", "lifecycle")):
            self.check((kind, "PE 1"), {1: -9, 0: -9}, {0: step, 1: step}, {}, killed=[0])

    def test_who_follows_is_not_first(self):
        follower, cause = ["shmem-sim: finding peer-lost: PE 0"], ["异常: RuntimeError: no kernel"]
        self.check(("launch", "PE 1"), {0: 1, 1: 1}, {0: "compute", 1: "create"}, {0: follower, 1: cause})
        self.check(("lifecycle", "PE 1"), {0: 1, 1: -9}, {0: "compute", 1: "compute"}, {0: follower})

    def test_who_dies_while_the_pes_meet_is_first(self):
        follower = ["异常: RuntimeError: aclshmemx_init_attr gave -4 (INNER_ERROR: the PEs did not meet)"]
        self.check(("init", "PE 1"), {0: 1, 1: -9}, {0: "init", 1: "init"}, {0: follower})
        self.check(("init", "PE 0"), {1: 1, 0: -14}, {0: "init", 1: "init"}, {1: follower})
        unknown = ["异常: RuntimeError: the words of another library"]
        self.check(("init", "PE 1"), {0: 1, 1: -9}, {0: "init", 1: "init"}, {0: unknown})

    def test_who_leaves_with_0_and_files_no_end_is_first(self):
        lost = ["shmem-sim: finding peer-lost: PE 1"]
        self.check(("lifecycle", "PE 1"), {1: 0, 0: 1}, {0: "compute", 1: "compute"}, {0: lost}, {"record": "x"}, unfinished=[1])

    def test_a_port_in_use_is_the_cause_of_all_that_follows(self):
        said = ["AccStoreServer startup failed", "error: Memory Heap Not Initialized"]
        self.check(("environment", "PE 0"), {1: 1, 0: 1}, {0: "init", 1: "init"}, {0: said, 1: said[1:]})

    def test_a_fault_of_the_kernel(self):
        self.check(("launch", "PE 1"), {1: -11}, {1: "compute"}, {1: ["shmem-sim: finding kernel-fault: PE 1"]})
        self.check(("timeout", "PE 0"), {0: 1}, {0: "compute"}, {0: ["shmem-sim: finding wait-deadline: PE 0", "异常: RuntimeError: 507014"]})

    def test_records_and_results(self):
        done = {0: "done", 1: "done"}
        self.check(("mismatch", "PE 1"), {0: 0, 1: 1}, done, {1: ["失败: fp16"]}, {"mismatch": "fp16"})
        self.check(("lifecycle", "重复的记录"), {0: 0, 1: 0}, done, {}, {"record": "重复的记录: 1"})
        self.check(("mismatch", "golden 不可信"), {0: 1, 1: 1}, {}, {}, {"golden": "golden 不可信: x"})
        self.check(("lifecycle", "PE 0"), {0: 1}, {0: "compute"}, {}, {"record": "没有结果"})


class Ending(unittest.TestCase):
    def test_all_are_signalled_before_any_is_reaped(self):
        launch, real, done = Classified.launch, (os.kill, os.waitpid), []
        processes = [subprocess.Popen(["sleep", "100"]) for _ in range(3)]
        with tempfile.TemporaryDirectory() as folder:
            watch = launch.Watch({pe: (process.pid, os.open("/dev/null", os.O_RDONLY)) for pe, process in enumerate(processes)},
                                 {"folder": folder})
            try:
                os.kill, os.waitpid = (lambda pid, number: done.append("kill") or real[0](pid, number),
                                       lambda pid, flags: done.append("wait") or real[1](pid, flags))
                watch.kill()
            finally:
                os.kill, os.waitpid = real
        for process in processes:
            process.returncode = -9  # reaped by the watch
        self.assertEqual(done, ["kill"] * 3 + ["wait"] * 3)
        self.assertEqual((watch.codes, watch.killed), ({0: -9, 1: -9, 2: -9}, {0, 1, 2}))


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree, _ = built_example(BUILD, "all_gather")
        cls.test = cls.tree / "all_gather/scripts/torch_test_all_gather.py"
        cls.folder = tempfile.mkdtemp(prefix="faults-")
        done = subprocess.run(command(cls.tree, ROOT / "tests/e2e/programs/faults.py", cls.test), capture_output=True, text=True,
                              check=False, timeout=200, env={**os.environ, "TMPDIR": cls.folder})
        line = next((line for line in done.stdout.splitlines() if line.startswith("RESULTS ")), None)
        if line is None:
            raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])
        cls.said = done.stdout
        cls.results = json.loads(line.removeprefix("RESULTS "))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, fault, kind, first_error):
        result = self.results[fault]
        self.assertEqual(result["left"], [], fault)
        self.assertEqual((result["passed"], result["class"]), (False, kind), result)
        self.assertRegex(result["first_error"], first_error)
        self.assertTrue(result["hint"])
        self.assertTrue(result["problems"])
        return result

    def test_without_a_fault_it_passes(self):
        result = self.results["right"]
        self.assertEqual((result["passed"], result["class"], result["first_error"], result["left"]), (True, "", "", []), result)
        self.assertIn("[PE 1] 通过", self.said)

    def test_a_parent_that_used_the_device_spawns(self):
        result = self.results["device_was_touched"]
        self.assertEqual((result["passed"], result["launcher"], result["left"]), (True, "spawn", []), result)

    def test_a_wrong_result_is_the_first_error_whatever_fails_behind_it(self):
        self.check("is_wrong_and_fails_in_close", "mismatch", "PE 1: 失败: ")

    def test_records_that_are_missing(self):
        self.check("files_nothing", "lifecycle", r"PE \[1\] 没有结果")

    def test_records_that_are_there_twice(self):
        self.check("files_twice", "lifecycle", "重复的记录")

    def test_records_of_another_pe(self):
        self.check("files_for_another", "lifecycle", "PE 1 写了 PE 0 的记录")

    def test_a_pe_that_leaves_with_0_at_once(self):
        result = self.check("exits_at_once", "lifecycle", "PE 1: 退出码 0, 没有完成收尾")
        self.assertIn("PE 1 没有完成收尾", result["problems"])
        self.assertLess(result["took"], 5)

    def test_a_pe_that_dies_while_the_pes_meet(self):
        result = self.check("dies_while_they_meet", "init", "PE 1: 退出码 -14, 最后一步 init")
        self.assertIn("ended while the PEs met", self.said)
        self.assertEqual(result["exit_codes"][2], 1)  # it was told, and is not blamed

    def test_pe_0_that_dies_while_the_pes_meet(self):
        self.check("pe_0_dies_while_they_meet", "init", "PE 0: 退出码 -14, 最后一步 init")

    def test_a_crash_after_the_word_passed(self):
        self.assertEqual(self.check("crashes_after_passing", "lifecycle", "PE 1: 退出码 -6, 最后一步 done")["records"], 6)

    def test_a_hang_in_python(self):
        result = self.check("hangs_in_python", "timeout", "PE 1 在 compute")
        self.assertIn("hang_here", result["stands"]["1"])
        self.assertRegex(result["stands"]["0"], r"stands in\n +kernel .* block \d+: aclshmem_signal_wait_until at "
                         r".*all_gather_kernel.cpp:\d+ on PE 0 offset .*waits for GE")
        self.assertLess(result["took"], 8)

    def test_a_hang_in_the_kernel(self):
        result = self.check("hangs_in_the_kernel", "timeout", "PE 0 在 compute; PE 1 在 compute")
        self.assertRegex(result["stands"]["0"], r"C\+\+ stack of the thread(.*\n)+.*libshmem_sim_core\.so"
                                                r"(.*\n)+.*libascendcl\.so.*aclrtSynchronize")
        self.assertNotIn("libpython", result["stands"]["0"])
        self.assertRegex(result["stands"]["0"], r"stands in\n +kernel .*waits for GE")
        self.assertIn("in worker", result["stands"]["1"])

    def test_a_pe_that_is_killed(self):
        result = self.check("is_killed", "lifecycle", "PE 1: 退出码 -9, 最后一步 compute")
        self.assertLess(result["took"], 5)

    def test_no_memory(self):
        self.check("runs_out_of_memory", "environment", "PE 1: 异常: MemoryError")

    def test_a_golden_that_raises_starts_no_pe(self):
        result = self.check("golden_raises", "mismatch", "golden 出错: .*no such golden")
        self.assertNotIn("exit_codes", result)

    def test_wrong_results(self):
        result = self.check("is_wrong", "mismatch", r"PE \d: 失败: int32")
        self.assertEqual(len(result["calls"]), 6)
        self.assertEqual({call["pe"] for call in result["calls"]}, {0, 1})
        self.assertFalse(any(call["equal"] for call in result["calls"]))

    def test_a_library_that_is_missing(self):
        self.check("library_is_missing", "load", r"PE \d: 异常: FileNotFoundError.*libnone_kernel")

    def test_an_endpoint_that_is_none(self):
        self.check("endpoint_is_malformed", "init", r"PE \d: .*tcp://nowhere")

    def test_a_port_that_is_taken(self):
        self.check("port_is_taken", "environment", "in use")

        self.assertNotIn("retried", self.results["port_is_taken"])  # it was given: no other is taken in its place

    def test_a_port_that_is_taken_before_pe_0_can_use_it(self):
        result = self.results["port_is_taken_meanwhile"]
        self.assertEqual((result["passed"], result["class"], result["left"]), (True, "", []), result)
        self.assertRegex(result["retried"], "换一个再来一次: PE 0: .*in use")

    def test_a_failure_in_close(self):
        self.check("fails_in_close", "lifecycle", "PE 1: 异常: RuntimeError: close failed")

    def test_a_stale_library_first_on_the_path(self):
        stale = pathlib.Path(self.folder) / "stale"
        stale.mkdir()
        for name in ("liball_gather_kernel.so", "shmem_custom_ops_torch.so"):
            (stale / name).write_bytes(b"of another time")
        words = command(self.tree, self.test, "--pes", 2, "--dtype", "int32", "--calls", 3)
        words[2] = words[2].replace("exec", f"export LD_LIBRARY_PATH={stale}:$LD_LIBRARY_PATH; exec")
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        shutil.rmtree(stale)

    def end_while_it_runs(self, number, processes, *start):
        """Sends the signal to what `start` started when so many processes run; its exit code. Nothing may be left."""
        shared = set(os.listdir("/dev/shm"))
        folder = tempfile.mkdtemp(dir=self.folder)
        run = subprocess.Popen(command(self.tree, *start), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env={**os.environ, MARK: folder, "TMPDIR": folder})
        until = time.monotonic() + 60
        while len(processes_with(f"{MARK}={folder}")) < processes and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(len(processes_with(f"{MARK}={folder}")), processes)
        run.send_signal(number)
        said = run.communicate(timeout=30)[0].decode()
        until = time.monotonic() + 2
        while processes_with(f"{MARK}={folder}") and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(processes_with(f"{MARK}={folder}"), [], said)
        self.assertEqual([name for name in os.listdir(folder) if "torchelastic" not in name], [], said)
        self.assertEqual(set(os.listdir("/dev/shm")) - shared, set())
        shutil.rmtree(folder)
        return run.returncode

    def test_ctrl_c_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.assertEqual(self.end_while_it_runs(number, 5, self.test, "--pes", 4, "--calls", 400), 130)

    def test_ctrl_c_under_torchrun_leaves_nothing(self):
        words = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2, self.test, "--calls", 400)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.assertNotEqual(self.end_while_it_runs(number, 5, *words), 0)

    def test_two_verifications_of_one_tree_at_once(self):
        words = [str(TOOL), "verify", str(self.tree / "all_gather"), "--pes", "2", "--seeds", "1", "--fork-only", *map(str, roots())]
        runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
        for run in runs:
            said = run.communicate(timeout=120)[0].decode()
            self.assertEqual(run.returncode, 0, said)


class Torchrun(unittest.TestCase):
    """The same faults when a person starts the test under torchrun."""

    @classmethod
    def setUpClass(cls):
        cls.tree, _ = built_example(BUILD, "all_gather")
        cls.test = cls.tree / "all_gather/scripts/torch_test_all_gather.py"

    def start(self, fault, pes=2, deadline=60):
        """The result in the report, with what was said; nothing may be left."""
        shared, begin = set(os.listdir("/dev/shm")), time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            report = pathlib.Path(folder, "report.json")
            words = command(self.tree, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", pes,
                            ROOT / "tests/e2e/programs/faults.py", self.test, fault, "--dtype", "int32", "--case", "xs", "--calls", 3,
                            "--deadline", deadline, "--report", report)
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=150,
                                  env={**os.environ, MARK: folder, "TMPDIR": folder})
            self.assertTrue(report.exists(), done.stdout[-3000:] + done.stderr[-3000:])
            result = json.loads(report.read_text(encoding="utf-8"))["results"][0]
            until = time.monotonic() + 2  # a PE ends with its parent, which torchrun does not wait for
            while processes_with(f"{MARK}={folder}") and time.monotonic() < until:
                time.sleep(0.05)
            self.assertEqual(processes_with(f"{MARK}={folder}"), [])
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("shmem-bind")], [])
            self.assertEqual({name for name in os.listdir("/dev/shm") if "shmem" in name} - shared, set())
        self.assertEqual(done.returncode == 0, result["passed"], done.stdout[-3000:])
        self.assertEqual((result["pes"], result["launcher"]), (pes, "torchrun"))
        return {**result, "said": done.stdout, "took": time.monotonic() - begin}

    def check(self, result, kind, first_error):
        self.assertEqual((result["passed"], result["class"]), (False, kind), result)
        self.assertRegex(result["first_error"], first_error)

    def test_without_a_fault_it_passes(self):
        result = self.start("right")
        self.assertEqual((result["passed"], result["class"], result["records"]), (True, "", 6), result)
        self.assertIn("[PE 1] 通过", result["said"])

    def test_a_hang_in_python(self):
        result = self.start("hangs_in_python", deadline=12)
        self.check(result, "timeout", "PE 1 在 compute")
        self.assertIn("hang_here", result["stands"]["1"])
        self.assertRegex(result["stands"]["0"], r"stands in\n +kernel .*waits for GE")
        self.assertIn("[PE 0] shmem-sim: PE 0", result["said"])
        self.assertLess(result["took"], 40)

    def test_pe_0_in_the_kernel(self):
        result = self.start("hangs_in_the_kernel", deadline=12)
        self.check(result, "timeout", "PE 0 在 compute; PE 1 在 compute")
        self.assertRegex(result["stands"]["0"], r"stands in\n +kernel .*waits for GE")

    def test_a_pe_that_is_killed(self):
        result = self.start("is_killed", pes=3)
        self.check(result, "lifecycle", "PE 1: 退出码 -9, 最后一步 compute")
        self.assertLess(result["seconds"], 30)

    def test_a_process_of_torchrun_that_is_killed(self):
        result = self.start("its_parent_is_killed", pes=3)
        self.check(result, "lifecycle", "PE 1: 退出码 -9, 最后一步 compute")

    def test_a_pe_that_leaves_with_0_at_once(self):
        self.check(self.start("exits_at_once"), "lifecycle", "PE 1: 退出码 0, 没有完成收尾")

    def test_a_golden_that_raises_starts_no_pe(self):
        self.check(self.start("golden_raises"), "mismatch", "golden 出错: .*no such golden")

    def test_a_port_that_is_taken_before_pe_0_can_use_it(self):
        result = self.start("port_is_taken_meanwhile")
        self.assertTrue(result["passed"], result)
        self.assertRegex(result["retried"], "换一个再来一次: PE 0: .*in use")


if __name__ == "__main__":
    unittest.main()
