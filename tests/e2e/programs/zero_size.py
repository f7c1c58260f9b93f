"""compute() without elements on several PEs: it takes part and the next call is right; what the contract excludes is refused
on every PE by its words, and the next call is right as well.

    python3 zero_size.py LIBRARY PORT        (the class HaloExchange is refused, AllGather computes)
"""

import os
import sys

import torch
import torch_npu  # noqa: F401

PES = 4


def run(pe):
    torch.npu.set_device(pe % torch.npu.device_count())
    torch.ops.load_library(sys.argv[1])
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(pe, PES, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
    gather, halo = torch.classes.ShmemOps.AllGather(), torch.classes.ShmemOps.HaloExchange()
    right = True
    for rows in (3, 0, 2, 0, 0, 5):
        source = torch.full((rows, 7), pe + rows, dtype=torch.int32).npu()
        output = torch.full((PES, rows, 7), -1, dtype=torch.int32).npu()
        gather.compute(output, source)
        torch.npu.synchronize()
        right &= all(bool((output[p].cpu() == p + rows).all()) for p in range(PES))
    said = ""
    try:
        halo.compute(torch.zeros(2, 9, dtype=torch.int32).npu(), torch.zeros(0, 7, dtype=torch.int32).npu(), halo=1)
    except RuntimeError as error:
        said = str(error).splitlines()[0]
    output = torch.zeros(5, 9, dtype=torch.int32).npu()
    halo.compute(output, torch.full((3, 7), pe + 1, dtype=torch.int32).npu(), halo=1)
    torch.npu.synchronize()
    right &= bool((output.cpu()[1:4, 1:8] == pe + 1).all())
    gather.close()
    halo.close()
    manager.finalize()
    os.write(1, f"PE {pe}: {right}: {said}\n".encode())


children = []
for number in range(PES):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(number)
            code = 0
        except BaseException as error:
            os.write(2, f"PE {number}: {error}\n".encode())
        finally:
            os._exit(code)
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in children))
