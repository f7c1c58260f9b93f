"""Calls of operators with a root or a table that a binding must refuse; each prints what was raised. One PE.

    python3 misuse_collectives.py LIBRARY PORT
"""

import sys

import torch
import torch_npu  # noqa: F401

torch.npu.set_device(0)
torch.ops.load_library(sys.argv[1])


def refused(name, action):
    try:
        action()
        print(f"{name}: accepted")
    except RuntimeError as error:
        print(f"{name}: {str(error).splitlines()[0]}")


manager = torch.classes.ShmemOps.Manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
source = torch.arange(12.0).reshape(3, 4).npu()
gather = torch.classes.ShmemOps.GatherToRoot()
target = torch.zeros(1, 3, 4).npu()
refused("no output on the root", lambda: gather.compute(None, source, root=0))
refused("no input", lambda: gather.compute(target, None))
refused("output on the CPU", lambda: gather.compute(target.cpu(), source))
refused("output of another dtype", lambda: gather.compute(target.half(), source))
refused("output of another shape", lambda: gather.compute(target[:, :2], source))
refused("an expanded output", lambda: gather.compute(target[:, :, :1].expand(1, 3, 4), source))
refused("input inside the output", lambda: gather.compute(target, target[0]))
refused("root too large", lambda: gather.compute(target, source, root=1))
refused("root negative", lambda: gather.compute(target, source, root=-1))
gather.compute(target, source)  # the default root
gather.compute(None, source[:0])  # nothing to gather: nothing to write it to
torch.npu.synchronize()
print("gathered:", torch.equal(target[0].cpu(), source.cpu()))
exchange = torch.classes.ShmemOps.AllToAll()
received = torch.full((3, 4), -1.0).npu()
refused("table of another dtype", lambda: exchange.compute(received, source, torch.tensor([[3]], dtype=torch.int32).npu()))
refused("table of another shape", lambda: exchange.compute(received, source, torch.tensor([3]).npu()))
refused("table on the CPU", lambda: exchange.compute(received, source, torch.tensor([[3]])))
for rows, expected in ((4, 0), (-1, 0), (2, 2), (3, 3)):  # what cannot be followed moves nothing
    received.fill_(-1)
    exchange.compute(received, source, torch.tensor([[rows]]).npu())
    moved = (received.cpu() == source.cpu()).all(1).sum().item()
    print(f"table of {rows} rows:", moved == expected and (received.cpu()[expected:] == -1).all().item())
gather.close()
exchange.close()
manager.finalize()
