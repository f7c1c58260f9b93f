"""PairExchange 的多 PE 测试: python pair_exchange.py --pes 2"""

import argparse
import ctypes
import multiprocessing
import pathlib
import socket
import sys

import torch
import torch_npu  # noqa: F401

INSTALL = pathlib.Path(__file__).resolve().parents[3] / "install/shmem"


def worker(pe, pes, ip_port):
    torch.npu.set_device(pe % torch.npu.device_count())
    for path in sorted((INSTALL / "torch_binding/kernels").glob("lib*_kernel.so")):
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    torch.ops.load_library(str(INSTALL / "lib/aclshmem_torch.so"))
    manager = torch.classes.ShmemOps.Manager()
    if manager.attr_init(pe, pes, 64 << 20, ip_port) != 0:
        raise RuntimeError("attr_init 失败")
    op = torch.classes.ShmemOps.PairExchange()
    partner = pe ^ 1 if pe ^ 1 < pes else pe
    for call, shape in enumerate([(7, 13), (64, 32), (513, 257), (64, 32)]):
        data = [torch.randn(shape, generator=torch.Generator().manual_seed(42 + p + 100 * call)) for p in range(pes)]
        output = torch.zeros(shape).npu()
        op.compute(output, data[pe].npu())
        torch.npu.synchronize()
        if not torch.equal(output.cpu(), data[partner]):
            raise AssertionError(f"[PE {pe}] 第 {call} 次结果不符")
    op.close()
    manager.finalize()
    print(f"[PE {pe}] 通过", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pes", type=int, default=8)
    pes = parser.parse_args().pes
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        ip_port = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    start = multiprocessing.get_context("fork")
    processes = [start.Process(target=worker, args=(pe, pes, ip_port)) for pe in range(pes)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    failed = [pe for pe, process in enumerate(processes) if process.exitcode != 0]
    for process in processes:
        process.kill()
    print(f"失败的 PE: {failed}" if failed else f"{pes} 个 PE 全部通过")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
