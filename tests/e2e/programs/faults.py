"""Runs the generated test of all_gather with one function replaced by a faulty one, once for each fault, in one process that
imports torch once. Prints a JSON object {fault: result of the job, with what it left behind}.

    faults.py TEST_SCRIPT [FAULT ...]

Started by torchrun, each process is a PE's and runs the generated test with one fault: faults.py TEST_SCRIPT FAULT ARGUMENT ...
"""

import importlib.util
import json
import os
import resource
import signal
import socket
import sys
import time

import torch
import torch_npu  # noqa: F401

spec = importlib.util.spec_from_file_location("generated", sys.argv[1])
test = importlib.util.module_from_spec(spec)
spec.loader.exec_module(test)
torch.set_num_threads(1)

FAULTY = 1  # the PE that has the fault
launch = sys.modules["multi_pe_launch"]
OWNERS = {"golden": test, "KERNEL_LIBRARIES": test, "run_calls": sys.modules["multi_pe_test"], "Recorder": sys.modules["multi_pe_test"],
          "run_pe": sys.modules["multi_pe_watch"], "fresh_endpoint": launch}
real = {name: getattr(owner, name) for name, owner in OWNERS.items()}


def before_compute(what):
    """The faulty PE does `what` in place of its calls; the others go on."""
    def run_calls(test, ops, pe, *rest):
        return what() if pe == FAULTY else real["run_calls"](test, ops, pe, *rest)
    return {"run_calls": run_calls}


def recording(change):
    """Lines of the faulty PE's calls are changed into others: `change` gives a list of fields."""
    class Recorder(real["Recorder"]):
        def add(self, **fields):
            wanted = change(self, fields) if self.pe == FAULTY and "call" in fields else [fields]
            for one in wanted:
                own, self.pe = self.pe, one.pop("writer", self.pe)
                super().add(**one)
                self.pe = own
    return {"Recorder": Recorder}


def crash_after_passing(test, pe, job):
    code = real["run_pe"](test, pe, job)
    if pe == FAULTY:
        os.abort()
    return code


def hang_here():
    time.sleep(100)


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def run_out_of_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
    return len(bytearray(1 << 30))


def raise_error(*_):
    raise ValueError("no such golden")


def exit_at_once(test, pe, job):
    return 0 if pe == FAULTY else real["run_pe"](test, pe, job)


def die_meeting(victim):
    """The victim has come to the meeting and dies in it: the last PE, for which all wait, comes late."""
    def run_pe(test, pe, job):
        if pe == victim:
            signal.setitimer(signal.ITIMER_REAL, 1)
        elif pe == job["pes"] - 1:
            time.sleep(2)
        return real["run_pe"](test, pe, job)
    return {"run_pe": run_pe, "pes": 4}


def refuse_to_close(test, ops, pe, *rest):
    code = real["run_calls"](test, ops, pe, *rest)
    if pe == FAULTY:
        os.write(2, "异常: RuntimeError: close failed\n".encode())
        rest[-1].add(step="close")
        os._exit(3)
    return code


def kill_its_parent():
    os.kill(os.getppid(), signal.SIGKILL)
    hang_here()


def wrong_golden(*given):
    return {name: value.clone().fill_(3) for name, value in real["golden"](*given).items()}


holder = socket.socket()
holder.bind(("127.0.0.1", 0))
holder.listen()
TAKEN = f"tcp://127.0.0.1:{holder.getsockname()[1]}"


def taken_meanwhile():
    """The first endpoint that the system gives is used by another process before PE 0 can."""
    given = [TAKEN]
    return {"fresh_endpoint": lambda: given.pop() if given else real["fresh_endpoint"]()}

FAULTS = {
    "right": {},
    "files_nothing": recording(lambda recorder, fields: []),
    "files_twice": recording(lambda recorder, fields: [fields, dict(fields)]),
    "files_for_another": recording(lambda recorder, fields: [{**fields, "writer": 0}]),
    "exits_at_once": {"run_pe": exit_at_once, "deadline": 20},
    "dies_while_they_meet": die_meeting(FAULTY),
    "pe_0_dies_while_they_meet": die_meeting(0),
    "crashes_after_passing": {"run_pe": crash_after_passing},
    "hangs_in_python": {**before_compute(hang_here), "deadline": 4},
    "hangs_in_the_kernel": {**before_compute(lambda: 0), "deadline": 4},
    "is_killed": before_compute(kill_itself),
    "runs_out_of_memory": before_compute(run_out_of_memory),
    "golden_raises": {"golden": raise_error},
    "is_wrong": {"golden": wrong_golden},
    "library_is_missing": {"KERNEL_LIBRARIES": ["libnone_kernel.so"]},
    "endpoint_is_malformed": {"ip_port": "tcp://nowhere"},
    "port_is_taken": {"ip_port": TAKEN},
    "port_is_taken_meanwhile": taken_meanwhile(),
    "fails_in_close": {"run_calls": refuse_to_close},
    "is_wrong_and_fails_in_close": {"golden": wrong_golden, "run_calls": refuse_to_close},
    "device_was_touched": {},  # the last: a process cannot take it back
}
# Under torchrun only: the parent of a PE is a process of its own.
FAULTS_OF_RANKS = {"its_parent_is_killed": before_compute(kill_its_parent)}


def descriptors():
    return sorted(os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}"))


def left_behind(before, shared, job):
    """What a job left: child processes, descriptors, shared memory, files, its port."""
    left = []
    try:
        left.append(f"process {os.waitpid(-1, os.WNOHANG)}")
    except ChildProcessError:
        pass
    left += [f"descriptor {name}" for name in descriptors() if name not in before and "/proc/" not in name]
    left += [f"segment {name}" for name in set(os.listdir("/dev/shm")) - shared if "shmem" in name]
    left += [f"file {name}" for name in os.listdir(os.environ["TMPDIR"])]
    return left


def make(changes):
    """Puts the faulty functions in place; the rest of the changes, fields of the job."""
    for name in OWNERS.keys() & changes.keys():
        setattr(OWNERS[name], name, changes[name])
    return {name: value for name, value in changes.items() if name not in OWNERS}


def run(changes):
    job = {"pes": 2, "dtypes": ["int32"], "cases": [next(iter(test.CASES))], "seed": 0, "calls": 3, "launcher": "fork", "deadline": 60}
    job.update(make(changes))
    if changes is FAULTS["device_was_touched"]:
        torch.zeros(1, device="npu").cpu()  # what the device thread opens is open now
    before, shared, begin = descriptors(), set(os.listdir("/dev/shm")), time.monotonic()
    try:
        result = launch.run_jobs(test, [job])[0] if changes.get("golden") is raise_error else launch.run_job(test, job)
    finally:
        for name, value in real.items():
            setattr(OWNERS[name], name, value)
    return {**result, "took": time.monotonic() - begin, "left": left_behind(before, shared, job)}


if "RANK" in os.environ:
    make({**FAULTS, **FAULTS_OF_RANKS}[sys.argv[2]])
    sys.argv = [sys.argv[1], *sys.argv[3:]]
    launch.main(test)
wanted = sys.argv[2:] or FAULTS
results = {name: run(FAULTS[name]) for name in wanted}
print("RESULTS " + json.dumps(results), flush=True)
