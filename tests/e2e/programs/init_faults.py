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
           "tcp://127.0.0.1:-1", "tcp://127.0.0.1:abc", "tcp://127.0.0.1:8662 ", "tcp://127.0.0.1: 8662", "tcp://:8662", "tcp://[::1:8662", "tcp://::1:8662", "udp://127.0.0.1:8662", "abc", "", "t" * 5000]

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
    """PEs that do not agree end soon, all of them, with an error that names what differs."""
    def end_with(wanted, *given):
        """Every PE p that is given (pe, n_pes, heap) = given[p] ends with an error; `wanted` finds its values in one of them."""
        where = endpoint()
        said, took = on_pes(lambda pe: init(*given[pe], where) and "accepted", len(given))
        assert not any(text == "accepted" for text in said), said
        assert re.search(wanted, "\n".join(said)), said
        assert took < 15, took
        return said

    said = end_with("heap bytes", (0, 2, HEAP), (1, 2, HEAP + (2 << 20)))
    sizes = [sorted(int(size) for size in re.findall(r"(\d+) heap bytes", text)) for text in said]
    assert all(len(pair) == 2 and pair[1] - pair[0] == 2 << 20 for pair in sizes), said
    end_with(r"2 PEs.*3|3 PEs.*2", (0, 2, HEAP), (1, 3, HEAP))
    end_with(r"PE 1\b.*(twice|already)", (0, 3, HEAP), (1, 3, HEAP), (1, 3, HEAP))
    where = endpoint()
    for pe in (2, -1):
        said, took = on_pes(lambda _, pe=pe: init(pe, 2, HEAP, where) and "accepted", 1)
        assert f"PE {pe} of 2" in said[0] and took < 15, (pe, said, took)


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
    """A thread of Python goes on while another waits, in each collective call, for a PE that comes late."""
    where = endpoint()

    class Clock:
        """Counts how often a thread of Python got its turn."""

        def __enter__(self):
            self.ticks, self.done = 0, threading.Event()
            self.thread = threading.Thread(target=self.run)
            self.thread.start()
            return self

        def run(self):
            while not self.done.wait(0.05):
                self.ticks += 1

        def __exit__(self, *_):
            self.done.set()
            self.thread.join()

    def body(pe):
        kept, ticks = {}, {}
        steps = {"attr_init": lambda: kept.update(manager=init(pe, 2, HEAP, where)),
                 "create": lambda: kept.update(op=torch.classes.ShmemOps.AllGather()),
                 "malloc_tensor": lambda: kept.update(tensor=kept["manager"].malloc_tensor(1024)),
                 "free_tensor": lambda: kept["manager"].free_tensor(kept["tensor"]),
                 "close": lambda: kept["op"].close(),
                 "finalize": lambda: kept["manager"].finalize()}
        for name, step in steps.items():
            time.sleep(0.8 * pe)
            with Clock() as clock:
                step()
            ticks[name] = clock.ticks
        return ticks
    said, _ = on_pes(body, 2)
    assert isinstance(said[0], dict), said
    few = {name: count for name, count in said[0].items() if count < 6}
    assert not few, few


results = {}
for name, check in [(name, value) for name, value in list(globals().items()) if name.startswith("bl_")]:
    try:
        check()
        results[name] = "right"
    except Exception as error:
        results[name] = f"{type(error).__name__}: {str(error)[:1500]}"
print(json.dumps(results), flush=True)
