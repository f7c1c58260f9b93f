"""Many calls on one AllGather object, back to back: within a batch no PE waits for another outside the kernel.

    python3 many_calls.py LIBRARY PES ELEMENTS CALLS BATCH PORT

Every call has other data, every output is compared. Prints how many calls were right on all PEs.
"""

import multiprocessing
import sys

import torch
import torch_npu  # noqa: F401

LIBRARY = sys.argv[1]
PES, ELEMENTS, CALLS, BATCH, PORT = map(int, sys.argv[2:])


def rows_of(pe, first, count):
    """Input of PE `pe` for `count` calls from call `first` on."""
    start = torch.arange(first, first + count, dtype=torch.int32).reshape(count, 1, 1) * 16 + pe
    return start + torch.arange(ELEMENTS, dtype=torch.int32) * 65536


def worker(pe):
    torch.set_num_threads(1)
    torch.npu.set_device(pe % torch.npu.device_count())
    torch.ops.load_library(LIBRARY)
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(pe, PES, 256 << 20, f"tcp://127.0.0.1:{PORT}")
    operator = torch.classes.ShmemOps.AllGather()
    for first in range(0, CALLS, BATCH):
        inputs = rows_of(pe, first, BATCH).npu()
        outputs = torch.full((BATCH, PES, 1, ELEMENTS), -1, dtype=torch.int32).npu()
        for call in range(BATCH):
            operator.compute(outputs[call], inputs[call])
        torch.npu.synchronize()
        want = torch.stack([rows_of(p, first, BATCH) for p in range(PES)], dim=1)
        got = outputs.cpu()
        if not torch.equal(got, want):
            call = int((got != want).flatten(1).any(1).nonzero()[0])
            sys.exit(f"PE {pe}: call {first + call} (of its batch {call}) is wrong")
    operator.close()
    manager.finalize()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    pes = [context.Process(target=worker, args=(pe,)) for pe in range(PES)]
    for process in pes:
        process.start()
    for process in pes:
        process.join()
    codes = [process.exitcode for process in pes]
    if any(codes):
        sys.exit(f"exit codes of the PEs: {codes}")
    print(f"{CALLS} calls were right on {PES} PEs")
