"""Calls that a binding must refuse; each prints what was raised. One PE.

    python3 misuse.py LIBRARY PORT
"""

import socket
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


endpoint = f"tcp://127.0.0.1:{sys.argv[2]}"
manager = torch.classes.ShmemOps.Manager()
refused("before attr_init", torch.classes.ShmemOps.AllGather)
refused("bad endpoint", lambda: manager.attr_init(0, 1, 64 << 20, "127.0.0.1"))
refused("PE out of range", lambda: manager.attr_init(3, 2, 64 << 20, endpoint))
with socket.socket() as other:
    other.bind(("127.0.0.1", 0))
    other.listen()
    taken = f"tcp://127.0.0.1:{other.getsockname()[1]}"
    refused("port in use", lambda: manager.attr_init(0, 2, 64 << 20, taken))
manager.attr_init(0, 1, 64 << 20, endpoint)
refused("a heap that is too small", lambda: manager.malloc_tensor(300 << 20))
refused("attr_init twice", lambda: manager.attr_init(0, 1, 64 << 20, endpoint))
operator = torch.classes.ShmemOps.AllGather()
source = torch.ones(4, 8).npu()
target = torch.zeros(1, 4, 8).npu()
refused("output on the CPU", lambda: operator.compute(target.cpu(), source))
refused("input on the CPU", lambda: operator.compute(target, source.cpu()))
refused("other dtypes", lambda: operator.compute(target.half(), source))
refused("dtype outside the contract", lambda: operator.compute(target.long(), source.long()))
refused("wrong shape", lambda: operator.compute(target[:, :3], source))
refused("wrong rank", lambda: operator.compute(target, source[0]))
refused("an expanded output", lambda: operator.compute(target[:, :, :1].expand(1, 4, 8), source))
refused("input inside the output", lambda: operator.compute(target, target[0]))
operator.compute(target, source)
torch.npu.synchronize()
print("after all that:", bool((target.cpu() == 1).all()))
operator.close()
operator.close()
refused("after close", lambda: operator.compute(target, source))
manager.finalize()
refused("after finalize", torch.classes.ShmemOps.AllGather)
