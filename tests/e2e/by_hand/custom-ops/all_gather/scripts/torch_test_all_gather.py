"""AllGather 多 PE 测试 (手写, 按模板填写)。"""

import argparse
import ctypes
import multiprocessing
import os
from glob import glob

import torch
import torch_npu

PES = 8
DTYPE = torch.float16
INPUT_SHAPE = (64, 32)


def find_library(lib_name):
    for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if not os.path.isdir(path):
            continue
        match = glob(os.path.join(path, lib_name))
        if match:
            return match[0]
    raise FileNotFoundError(f"LD_LIBRARY_PATH 中没有 {lib_name}")


def gen_data(pe):
    """各 PE 的输入, 种子固定; golden 按 PE 顺序拼接所有输入。"""
    inputs = []
    for p in range(PES):
        torch.manual_seed(42 + p)
        inputs.append(torch.randn(INPUT_SHAPE).to(DTYPE))
    return inputs[pe], torch.stack(inputs)


def worker(pe):
    ctypes.CDLL(find_library("liball_gather_kernel.so"), mode=ctypes.RTLD_GLOBAL)
    torch.ops.load_library(find_library("shmem_custom_ops_torch.so"))

    # 1. Manager 初始化
    manager = torch.classes.ShmemOps.Manager()
    torch_npu.npu.set_device(pe)
    manager.attr_init(pe, PES, 64 * 1024 * 1024, "tcp://127.0.0.1:8662")

    # 2. 创建算子实例
    op = torch.classes.ShmemOps.AllGather()

    # 3. 生成数据, 搬运到 NPU
    local_input, golden_output = gen_data(pe)
    input_npu = local_input.npu(non_blocking=True)
    output_npu = torch.zeros_like(golden_output).npu()
    torch_npu.npu.synchronize()

    # 4. 执行 compute
    op.compute(output_npu, input_npu)
    torch_npu.npu.synchronize()

    # 5. 精度验证
    if not torch.equal(output_npu.cpu(), golden_output):
        print(f"[PE {pe}] FAIL: 结果不符")
        raise AssertionError(f"[PE {pe}] AllGather 结果不符")
    print(f"[PE {pe}] PASS", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pes", type=int, default=8)
    args = parser.parse_args()
    PES = args.pes

    processes = [multiprocessing.Process(target=worker, args=(pe,)) for pe in range(PES)]
    for p in processes:
        p.start()
    for p in processes:
        p.join()

    print("All processes finished successfully")
