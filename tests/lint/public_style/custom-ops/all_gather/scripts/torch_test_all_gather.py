import argparse
import multiprocessing
import os
from glob import glob

import torch
import torch_npu

PES = 8
SEED = 42


def load_torch_library(lib_name):
    for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        match = glob(os.path.join(path, lib_name))
        if match:
            torch.ops.load_library(match[0])
            return
    raise FileNotFoundError(lib_name)


def gen_data(pe):
    torch.manual_seed(SEED)
    local_input = torch.randn((64, 32)).to(torch.float16)
    return local_input, torch.stack([local_input] * PES)


def worker(pe):
    manager = torch.classes.ShmemOps.Manager()
    torch_npu.npu.set_device(pe)
    manager.attr_init(pe, PES, 1024 * 1024 * 1024, "tcp://127.0.0.1:8662")
    op = torch.classes.ShmemOps.AllGather()
    local_input, golden_output = gen_data(pe)
    output_npu = torch.zeros_like(golden_output).npu()
    op.compute(output_npu, local_input.npu())
    torch_npu.npu.synchronize()
    torch.ops.shmem.aclshmem_barrier_all()
    if not torch.equal(output_npu.cpu(), golden_output):
        raise AssertionError(f"[PE {pe}] 结果不符")
    print(f"[PE {pe}] PASS")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pes", type=int, default=8)
    PES = parser.parse_args().pes
    load_torch_library("shmem_custom_ops_torch.so")
    processes = [multiprocessing.Process(target=worker, args=(pe,)) for pe in range(PES)]
    for p in processes:
        p.start()
    for p in processes:
        p.join()
    print("All processes finished successfully")
