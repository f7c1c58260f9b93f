"""What verifying costs: a case in the warm process, all of AllGather, a PE that dies, 64 PEs; and the proof by mutation."""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tests/e2e"))
from wide_example import wide_example  # noqa: E402


def script(setting):
    return setting.tree / "all_gather/scripts/torch_test_all_gather.py"


def run_test(setting, *words):
    """Wall seconds of the generated test, and its results."""
    report = setting.scratch / "report.json"
    begin = time.perf_counter()
    done = setting.run([setting.python, script(setting), "--report", report, *words], check=False)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"the generated test failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds, json.loads(report.read_text(encoding="utf-8"))["results"]


def warm_cases(setting):
    """One dtype and shape, 3 calls, in a process that has imported torch and run a case before."""
    repeats = 3 if setting.quick else 9
    jobs = [{"name": f"{pes} PEs", "pes": pes, "launcher": "fork", "dtypes": ["int32"], "cases": ["xs"], "seed": 0, "calls": 3,
             "deadline": 60} for pes in (2, 8) for _ in range(repeats + 1)]
    plan = setting.scratch / "plan.json"
    plan.write_text(json.dumps(jobs), encoding="utf-8")
    _, results = run_test(setting, "--plan", plan)
    for pes, goal in ((2, 0.3), (8, 1.2)):
        samples = [result["seconds"] for result in results if result["pes"] == pes][1:]
        yield {"name": f"a warm case on {pes} PEs", "seconds": statistics.median(samples), "goal": goal}


def every_dtype(setting):
    words = ["--pes", 8, "--case", "xs", "tail", "s", "--calls", 3]
    samples = [run_test(setting, *words)[0] for _ in range(1 if setting.quick else 3)]
    yield {"name": "8 PEs, every dtype, 3 shapes, 3 calls, and the import of torch", "seconds": statistics.median(samples), "goal": 15}


def at_their_calls(folder, pes):
    """Whether all PEs of the job that files its records below `folder` have come so far."""
    files = list(folder.glob("shmem-bind-*/pe*.jsonl"))
    return len(files) == pes and all('"step": "compute"' in file.read_text(encoding="utf-8") for file in files)


def wait_for(condition, process):
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until or process.poll() is not None:
            process.kill()
            raise SystemExit(f"the PEs did not come to their calls:\n{process.communicate()[0][-2000:]}")
        time.sleep(0.005)


def seconds_after_a_death(setting, pes):
    """The last PE stands still until the others wait for it, then it is killed: until the test has said so and ended."""
    folder = setting.scratch / f"death{time.monotonic_ns()}"
    folder.mkdir()
    command = [setting.python, script(setting), "--pes", pes, "--dtype", "int32", "--case", "xs", "--calls", 300]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**setting.environment(), "TMPDIR": str(folder)}) as process:
        wait_for(lambda: at_their_calls(folder, pes), process)
        last = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()[-1])
        os.kill(last, signal.SIGSTOP)
        time.sleep(1)
        begin = time.perf_counter()
        os.kill(last, signal.SIGKILL)
        said = process.communicate()[0]
        seconds = time.perf_counter() - begin
    if process.returncode == 0 or f"PE {pes - 1} 的退出码是 -9" not in said:
        raise SystemExit(f"the death of a PE was not reported:\n{said[-2000:]}")
    return seconds


def dead_pe(setting):
    for pes in (2, 8):
        samples = [seconds_after_a_death(setting, pes) for _ in range(1 if setting.quick else 5)]
        yield {"name": f"a dead PE of {pes} is reported, all is ended (the longest)", "seconds": max(samples), "goal": 5}


def wide(setting):
    """AllGather with tables for 64 PEs, more than there are devices: built here, which is not measured."""
    op, roots = wide_example(setting.out, setting.scratch / "wide")
    words = ["verify", op, "--pes", 64, "--fork-only", "--dtypes", "int32", "--cases", "xs", "--seeds", 1, *roots]
    begin = time.perf_counter()
    setting.run([setting.out / "bin/shmem-bind", *words])
    seconds = time.perf_counter() - begin
    verdict = json.loads((op / "build/verdict.json").read_text(encoding="utf-8"))
    jobs = verdict["jobs"]
    if not all(job["passed"] and job["records"] == 64 * job["calls"] for job in jobs):
        raise SystemExit(f"64 PEs: {verdict['why']}")
    yield {"name": f"64 PEs, a small shape, {len(jobs)} jobs of `verify`", "seconds": seconds, "goal": 60}


def verification(setting):
    return [row for measure in (warm_cases, every_dtype, dead_pe, wide) for row in measure(setting)]


def prove(setting):
    """All variants of AllGather; takes minutes, so not in a quick run."""
    tool = setting.out / "bin/shmem-bind"
    if setting.quick:
        return {"skipped": "not in a quick run: it takes minutes"}
    if "prove" not in setting.run([tool, "--help"]).stdout.split():
        return {"skipped": "this shmem-bind has no command prove"}
    begin = time.perf_counter()
    done = setting.run([tool, "prove", setting.tree / "all_gather", "--format", "json"], check=False)
    seconds = time.perf_counter() - begin
    answer = json.loads(done.stdout)
    if done.returncode not in (0, 13):  # 13: variants survived, which takes as long
        raise SystemExit(f"prove ended with {done.returncode}:\n{answer['messages']}")
    return {"seconds": seconds, "goal": 240, "exit_code": done.returncode}


def _verification_table(rows):
    yield "| what | s | to reach, s |"
    yield "|---|---|---|"
    for row in rows:
        yield f"| {row['name']} | {row['seconds']:.2f} | {row['goal']} |"


def _prove_table(result):
    if "skipped" in result:
        yield f"Not measured: {result['skipped']}."
        return
    yield "| what | s | to reach, s |"
    yield "|---|---|---|"
    yield f"| `prove` of AllGather, all variants, exit code {result['exit_code']} | {result['seconds']:.0f} | {result['goal']} |"


SECTIONS = {"verification": verification, "prove": prove}
TABLES = {"verification": _verification_table, "prove": _prove_table}
TITLES = {"verification": "Verifying", "prove": "The proof by mutation"}
GOALS = {
    "verification": "A warm case is one of many in the process of one `verify`, which has imported torch once: forking the PEs, 3 calls, "
                    "comparing, closing and judging.",
}
