"""The functional form under Meta: no device work, shapes only, so that tracing can go through it.

    python3 meta_tensors.py LIBRARY PORT
"""

import sys

import torch
import torch_npu  # noqa: F401

torch.npu.set_device(0)
torch.ops.load_library(sys.argv[1])
manager = torch.classes.ShmemOps.Manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
operator = torch.classes.ShmemOps.AllGather()
source = torch.empty(4, 8, device="meta")
target = torch.empty(1, 4, 8, device="meta")
print("meta", torch.ops.shmem_ops.all_gather(operator, target, source), operator.get_name())
schema = torch.ops.shmem_ops.all_gather.default._schema
print("mutates", [argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write])
real_in, real_out = torch.ones(4, 8).npu(), torch.zeros(1, 4, 8).npu()
torch.ops.shmem_ops.all_gather(operator, real_out, real_in)
torch.npu.synchronize()
print("computed", bool((real_out.cpu() == 1).all()))
operator.close()
manager.finalize()
