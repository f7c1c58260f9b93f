"""Private memory of one PE that was forked from an imported parent, beyond its tensors and the heap it touched.

Called by bench/run.py; prints one JSON object per row. Private is what /proc/self/smaps_rollup counts as private, clean and
dirty; shared pages (torch's libraries, the parent's memory) belong to nobody.
"""

import argparse
import json
import os
import sys

import forked


def private_bytes():
    with open("/proc/self/smaps_rollup", encoding="utf-8") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("Private_Clean", "Private_Dirty")))


def worker(pe, args, rows):
    import torch
    import torch_npu  # noqa: F401

    torch.set_num_threads(1)
    torch.npu.set_device(pe % torch.npu.device_count())
    torch.ops.load_library(args.library)
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(pe, args.pes, 1 << 30, f"tcp://127.0.0.1:{args.port}")
    operator = torch.classes.ShmemOps.AllGather()
    source = torch.full((16, 1024), pe, dtype=torch.int32).npu()
    target = torch.empty(args.pes, 16, 1024, dtype=torch.int32).npu()
    for _ in range(10):
        operator.compute(target, source)
    torch.npu.synchronize()
    right = all(bool((target[p].cpu() == p).all()) for p in range(args.pes))
    if not right:
        raise SystemExit(f"PE {pe}: gathered wrong numbers")
    if pe == 0:
        tensors = source.nbytes * 2 + target.nbytes
        os.write(rows, (json.dumps({"pes": args.pes, "private_mib": (private_bytes() - tensors) / 2**20}) + "\n").encode())
    operator.close()
    manager.finalize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pes", type=int, required=True)
    parser.add_argument("--library", required=True, help="shmem_custom_ops_torch.so")
    parser.add_argument("--port", type=int, required=True)
    args = parser.parse_args()

    forked.run_pes(args.pes, lambda pe: worker(pe, args, sys.stdout.fileno()))


if __name__ == "__main__":
    main()
