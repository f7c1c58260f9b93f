"""The generated test of all_gather: its endpoint is taken, many of it at once, its library is loaded in the parent only. Prints a
JSON object {check: "right" or what was wrong}.

    many_jobs.py TEST_SCRIPT
"""

import importlib.util
import json
import os
import pathlib
import socket
import sys
import time

import torch
import torch_npu  # noqa: F401

SCRIPT = pathlib.Path(sys.argv[1])
JOBS, ROUNDS = 20, 3


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


test = load(SCRIPT)
launch = sys.modules["multi_pe_launch"]
torch.set_num_threads(1)


def run(program=test, **changes):
    case = min(test.CASES, key=lambda name: test.CASES[name]["rows"] * test.CASES[name]["cols"])
    job = {"pes": 2, "dtypes": ["int32"], "cases": [case], "seed": 0, "calls": 3, "launcher": "fork", "deadline": 100}
    return launch.run_job(program, {**job, **changes})


def bl_43():
    """The endpoint belongs to a server that accepts and never answers: all PEs end at once, and what is said names it."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        where = f"tcp://127.0.0.1:{holder.getsockname()[1]}"
        begin = time.monotonic()
        result = run(ip_port=where)
    assert time.monotonic() - begin < 8, time.monotonic() - begin
    assert not result["passed"] and result["class"] == "environment" and all(result["exit_codes"]), result
    assert result["first_error"].startswith("PE 0: ") and where.removeprefix("tcp://") in result["first_error"], result


def one_of_many():
    """The parent of one job, in a process of its own; the descriptor that its result comes from."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        said = "the job raised"
        try:
            result = run()
            said = "passed" if result["passed"] else str(result["problems"])[:300] + result["first_error"]
        finally:
            os.write(writer, said.encode())
            os._exit(0)
    os.close(writer)
    return reader


def bl_44():
    """Twenty jobs begin in the same moment, each with an endpoint of its own, three times."""
    for _ in range(ROUNDS):
        said = []
        for reader in [one_of_many() for _ in range(JOBS)]:
            with os.fdopen(reader, encoding="utf-8") as pipe:
                said.append(pipe.read())
            os.wait()
        assert said == ["passed"] * JOBS, said


def bl_82():
    """The library is loaded in the parent only: the workers of another process do not see it, and say so."""
    text = SCRIPT.read_text(encoding="utf-8")
    call = "    load_libraries()\n"
    assert text.count(call) == 1, "the generated test loads its libraries elsewhere: this check must follow it"
    copy = SCRIPT.with_name("torch_test_loaded_by_the_parent.py")
    copy.write_text(text.replace(call, ""), encoding="utf-8")
    try:
        program = load(copy)
        program.load_libraries()
        result = run(program, launcher="spawn")
    finally:
        copy.unlink()
    assert not result["passed"] and result["class"] == "load", result
    assert "ShmemOps.Manager" in result["first_error"] and "worker" in result["hint"], result


results = {}
for name, check in [(name, value) for name, value in list(globals().items()) if name.startswith("bl_")]:
    try:
        check()
        results[name] = "right"
    except Exception as error:
        results[name] = f"{type(error).__name__}: {str(error)[:1500]}"
print("RESULTS " + json.dumps(results), flush=True)
