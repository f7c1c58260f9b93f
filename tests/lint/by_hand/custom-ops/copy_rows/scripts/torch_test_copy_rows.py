"""CopyRows 的多 PE 测试: python torch_test_copy_rows.py --pes 2"""

import argparse
import multiprocessing
import socket
import sys

import torch
import torch_npu  # noqa: F401


def gen_data(pe, pes):
    data = [torch.randn((64, 32), generator=torch.Generator().manual_seed(42 + p)) for p in range(pes)]
    return data[pe], torch.stack(data)


def worker(pe, pes, ip_port):
    torch.npu.set_device(pe)
    torch.ops.load_library("shmem_custom_ops_torch.so")
    manager = torch.classes.ShmemOps.Manager()
    if manager.attr_init(pe, pes, 64 << 20, ip_port) != 0:
        raise RuntimeError("attr_init 失败")
    op = torch.classes.ShmemOps.CopyRows()
    data, golden = gen_data(pe, pes)
    output = torch.zeros_like(golden).npu()
    op.compute(output, data.npu())
    torch.npu.synchronize()
    if not torch.equal(output.cpu(), golden):
        raise AssertionError(f"[PE {pe}] 结果不符")
    op.close()
    manager.finalize()


def free_endpoint():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pes", type=int, default=8)
    pes = parser.parse_args().pes
    ip_port = free_endpoint()
    processes = [multiprocessing.Process(target=worker, args=(pe, pes, ip_port)) for pe in range(pes)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sys.exit(any(process.exitcode != 0 for process in processes))


if __name__ == "__main__":
    main()
