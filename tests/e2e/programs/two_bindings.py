"""Two copies of the binding in one process: the second must leave the classes of the first alone, and say so.

    python3 two_bindings.py LIBRARY PORT
"""

import pathlib
import shutil
import sys
import tempfile

import torch
import torch_npu  # noqa: F401

torch.npu.set_device(0)
torch.ops.load_library(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    torch.ops.load_library(shutil.copy(sys.argv[1], pathlib.Path(folder) / "another_binding.so"))
manager = torch.classes.ShmemOps.Manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
operator = torch.classes.ShmemOps.AllGather()
source, target = torch.ones(4, 8).npu(), torch.zeros(1, 4, 8).npu()
operator.compute(target, source)
torch.ops.shmem_ops.all_gather(operator, target, source + 1)
torch.npu.synchronize()
print("computed", bool((target.cpu() == 2).all()))
operator.close()
manager.finalize()
