"""Initialisation with what does not fit, and around it: each check forks its PEs from one process that has imported torch.
Prints a JSON object {check: "right" or what was wrong}.

    python3 init_faults.py LIBRARY PORT
"""

import json
import os
import pickle
import re
import socket
import sys
import tempfile
import threading
import time

import torch
import torch_npu  # noqa: F401

LIBRARY = sys.argv[1]
HEAP = 64 << 20


def endpoint():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def on_pes(body, count):
    """What body(pe) gives, or raises and says on stderr, in `count` forked processes, and the seconds it took."""
    started, begin = [], time.monotonic()
    for pe in range(count):
        reader, writer = os.pipe()
        errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        pid = os.fork()
        if pid == 0:
            os.dup2(errors.fileno(), 2)
            said = "ended without a result"
            try:
                torch.ops.load_library(LIBRARY)
                said = body(pe)
            except BaseException as error:
                errors.seek(0)
                said = f"{type(error).__name__}: {error}\n{errors.read()}"
            os.write(writer, pickle.dumps(said))
            os._exit(0)
        os.close(writer)
        errors.close()
        started.append((pid, reader))
    said = []
    for pid, reader in started:
        with os.fdopen(reader, "rb") as pipe:
            said.append(pickle.loads(pipe.read() or pickle.dumps("died")))
        os.waitpid(pid, 0)
    return said, time.monotonic() - begin


def init(pe, n_pes, heap, where):
    torch.npu.set_device(0)
    manager = torch.classes.ShmemOps.Manager()
    code = manager.attr_init(pe, n_pes, heap, where)
    assert code == 0, f"attr_init returned {code}"
    return manager


def works(pe, n_pes):
    operator = torch.classes.ShmemOps.AllGather()
    source = torch.full((3, 4), pe, dtype=torch.int32).npu()
    target = torch.zeros(n_pes, 3, 4, dtype=torch.int32).npu()
    operator.compute(target, source)
    right = torch.equal(target.cpu(), torch.arange(n_pes, dtype=torch.int32).reshape(-1, 1, 1).expand(n_pes, 3, 4))
    operator.close()
    return right


def bl_45():
    """Each malformed endpoint is refused, with the value in the message, and the process can go on."""
    bad = ["tcp://127.0.0.1", "127.0.0.1:8662", "tcp://tcp://127.0.0.1:8662", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536",
           "tcp://127.0.0.1:-1", "tcp://127.0.0.1:abc", "tcp://127.0.0.1:8662 ", "tcp://127.0.0.1: 8662", "abc", "", "t" * 5000]

    def body(pe):
        for where in bad:
            try:
                init(0, 1, HEAP, where)
            except (RuntimeError, AssertionError) as error:
                if where not in str(error):
                    return f"{where[:40]!r} is not named: {str(error)[:300]}"
            else:
                return f"{where!r} is accepted"
        manager = init(0, 1, HEAP, endpoint())
        right = works(0, 1)
        manager.finalize()
        return right

    said, _ = on_pes(body, 1)
    assert said == [True], said


def bl_46():
    """PEs that do not agree end soon, all of them, with an error."""
    where = endpoint()
    said, took = on_pes(lambda pe: init(pe, 2, HEAP + pe * (2 << 20), where) and "accepted", 2)
    assert not any(text == "accepted" for text in said), said
    sizes = [sorted(int(size) for size in re.findall(r"(\d+) heap bytes", text)) for text in said]
    assert all(len(pair) == 2 and pair[1] - pair[0] == 2 << 20 for pair in sizes), said
    assert took < 15, took


def bl_47():
    """Sizes that cannot be are refused with the number; the documented GiB for each PE is not."""
    for heap in (0, -1, 1 << 62):
        where = endpoint()
        said, took = on_pes(lambda pe: init(pe, 2, heap, where) and "accepted", 2)
        assert all(str(heap) in text for text in said), (heap, said)
        assert took < 15, took
    where = endpoint()

    def body(pe):
        manager = init(pe, 4, 1 << 30, where)
        right = works(pe, 4)
        manager.finalize()
        return right
    said, _ = on_pes(body, 4)
    assert said == [True] * 4, said


def bl_49():
    """Twenty lives on one endpoint, one PE late at each end."""
    where = endpoint()

    def body(pe):
        for _ in range(20):
            manager = init(pe, 2, HEAP, where)
            if not works(pe, 2):
                return "wrong result"
            time.sleep(0.1 * pe)
            manager.finalize()
        return True
    said, _ = on_pes(body, 2)
    assert said == [True, True], said


def bl_86():
    """A thread of Python goes on while another waits in attr_init for a PE that comes late."""
    where = endpoint()

    def body(pe):
        if pe == 1:
            time.sleep(1)
            init(1, 2, HEAP, where).finalize()
            return 0
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.05):
                ticks.append(time.monotonic())
        clock = threading.Thread(target=tick)
        clock.start()
        begin = time.monotonic()
        manager = init(0, 2, HEAP, where)
        end = time.monotonic()
        done.set()
        clock.join()
        manager.finalize()
        return sum(begin < at < end for at in ticks)
    said, _ = on_pes(body, 2)
    assert isinstance(said[0], int) and said[0] >= 8, said


results = {}
for name, check in [(name, value) for name, value in list(globals().items()) if name.startswith("bl_")]:
    try:
        check()
        results[name] = "right"
    except Exception as error:
        results[name] = f"{type(error).__name__}: {str(error)[:1500]}"
print(json.dumps(results), flush=True)
