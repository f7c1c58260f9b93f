"""Many runs of `shmem-bind verify`, two at a time, with a PE killed at some moment in half of them. Every verdict must be right
and nothing may be left.

    SHMEM_BIND_BUILD=out/release python tests/e2e/soak.py [RUNS [SEED]]     (6 runs, seed 1)
"""

import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from example_tree import built_example
from test_all_gather import TOOL, processes_with, roots

BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
LONGEST_S = 240  # one verification, also on a machine under load
RECORDS = re.compile(r"/pe(\d+)\.jsonl$")


def pe_of(folder):
    """The PE that a process is, by the file of records it has open; None: it is no PE."""
    for descriptor in (folder / "fd").iterdir():
        try:
            if found := RECORDS.search(os.readlink(descriptor)):
                return int(found[1])
        except OSError:
            pass
    return None


def workers_of(mark):
    """{process: PE} of the living PEs of a run."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes() and (pe := pe_of(folder)) is not None:
                found[int(folder.name)] = pe
        except OSError:
            pass  # it has ended, or is not ours
    return found


def is_stopped(pid):
    until = time.monotonic() + 1
    while time.monotonic() < until:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0]
        except OSError:
            return False
        if state in "TZX":
            return state == "T"
        time.sleep(0.001)
    return False


def kill_a_worker(mark, run, choice):
    """Kills a PE at a moment of `choice`; the PE. It is stopped first: what is stopped has not ended by itself."""
    moment = None
    while run.poll() is None:
        workers = workers_of(mark)
        moment = moment or (time.monotonic() + choice.uniform(0, 2) if workers else None)
        if workers and time.monotonic() >= moment:
            pid = choice.choice(sorted(workers))
            try:
                os.kill(pid, signal.SIGSTOP)
                if is_stopped(pid):
                    os.kill(pid, signal.SIGKILL)
                    return workers[pid]
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    return None


def run_once(tree, number, seed):
    """What is wrong with one run, "" if nothing; and whether a PE was killed."""
    choice = random.Random(f"{seed}/{number}")
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        mark = f"SHMEM_BIND_SOAK={folder}"
        words = [TOOL, "verify", tree / "all_gather", "--pes", "2", "--seeds", "1", "--fork-only", "--verbose", *roots()]
        run = subprocess.Popen([str(word) for word in words], stdout=said, stderr=subprocess.STDOUT,
                               env={**os.environ, "SHMEM_BIND_SOAK": folder, "TMPDIR": folder})
        killed = kill_a_worker(mark, run, choice) if number % 2 else None
        try:
            code = run.wait(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            code = f"none within {LONGEST_S} s"
        said.seek(0)
        text = said.read()
        left = processes_with(mark) + os.listdir(folder)
    wanted = 0 if killed is None else 13
    wrong = [] if code == wanted else [f"exit code {code}, not {wanted}"]
    if killed is not None and not re.search(rf"\[(lifecycle|launch|load|init)\] PE {killed}: ", text):
        wrong.append(f"no class that names PE {killed}")
    wrong += [f"left: {name}" for name in left]
    return (f"run {number}, killed {killed}: {'; '.join(wrong)}\n{text[-2000:]}" if wrong else ""), killed is not None


def abandoned_segments(before):
    """New shared memory that no living process has mapped. (A port cannot outlive its process, and processes are looked for.)"""
    new = set(os.listdir("/dev/shm")) - before
    for folder in pathlib.Path("/proc").iterdir():
        try:
            maps = (folder / "maps").read_text(encoding="utf-8", errors="replace") if folder.name.isdigit() and new else ""
            new -= {name for name in new if f"/dev/shm/{name}" in maps}
        except OSError:
            pass
    return new & set(os.listdir("/dev/shm"))


def soak(runs, seed):
    """Prints what went wrong and the numbers; whether all was right."""
    tree, _ = built_example(BUILD, "all_gather")

    def one(number):
        wrong, was_killed = run_once(tree, number, seed)
        print(f"run {number} of {runs}: {'WRONG' if wrong else 'right'}, {'a PE killed' if was_killed else 'nobody killed'}", flush=True)
        return wrong, was_killed

    before, begin = set(os.listdir("/dev/shm")), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(runs)))
    wrong = [text for text, _ in results if text]
    killed = sum(was_killed for _, was_killed in results)
    if runs > 1 and killed == 0:
        wrong.append("no PE was killed")
    wrong += [f"segment {name}" for name in abandoned_segments(before)]
    print("\n".join(wrong))
    print(json.dumps({"runs": runs, "killed": killed, "wrong": len(wrong), "seconds": round(time.monotonic() - begin, 1)}))
    return not wrong


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(0 if soak(*given, *[6, 1][len(given):]) else 1)
