"""Prints, as JSON, what a kernel saw of an operator that torch_npu had queued before it: past the queue, and as bound.

    python3 run.py PROBE_LIBRARY BINDING_LIBRARY PORT
"""

import ctypes
import json
import sys

import torch
import torch_npu  # noqa: F401

probe = ctypes.CDLL(sys.argv[1])
torch.npu.set_device(0)
torch.ops.load_library(sys.argv[2])
manager = torch.classes.ShmemOps.Manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[3]}")
operator = torch.classes.ShmemOps.AllGather()
seen = {"past_the_queue": [], "bound": []}
for attempt in range(21):
    x = torch.ones(1, 64, device="npu")
    y = torch.zeros(1, 64, device="npu")
    gathered = torch.zeros(1, 1, 64, device="npu")
    torch.npu.synchronize()
    if attempt > 0:  # the first of a kind may drain the queue to prepare itself
        probe.hold()
    x.add_(1)
    if probe.launch_past_the_queue(ctypes.c_void_p(y.data_ptr()), ctypes.c_void_p(x.data_ptr()), 64) != 0:
        sys.exit("the kernel failed")
    operator.compute(gathered, x)
    probe.release()
    torch.npu.synchronize()
    if attempt > 0:
        seen["past_the_queue"].append(y.cpu().unique().tolist())
        seen["bound"].append(gathered.cpu().unique().tolist())
operator.close()
manager.finalize()
print(json.dumps(seen))
