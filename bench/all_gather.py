"""AllGather through op.compute + synchronize against Gloo and against a staged shared-memory memcpy, in one run.

Called by bench/run.py; prints one JSON object per row. All methods run in the same processes, alternating, aligned by
the same barrier; every result is compared with the expected bytes once before it is timed.
"""

import argparse
import ctypes
import json
import mmap
import os
import statistics
import sys
import time

import forked

SIZES = [4 << 10, 64 << 10, 1 << 20, 8 << 20]


class Staged:
    """The floor: bench/staged_copy.cpp over an anonymous shared mapping made before the fork."""

    def __init__(self, library, pe_count, largest):
        self.library = ctypes.CDLL(library)
        self.library.staged_bytes.restype = ctypes.c_size_t
        self.library.staged_bytes.argtypes = [ctypes.c_size_t, ctypes.c_int]
        self.memory = mmap.mmap(-1, self.library.staged_bytes(largest, pe_count))
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.pe_count = pe_count

    def barrier(self):
        self.library.staged_barrier(ctypes.c_void_p(self.base), self.pe_count)

    def gather(self, pe, source, target):
        self.library.staged_all_gather(
            ctypes.c_void_p(self.base), pe, self.pe_count, ctypes.c_void_p(source.data_ptr()),
            ctypes.c_void_p(target.data_ptr()), ctypes.c_size_t(source.numel()))


def call_count(staged, action, seconds):
    """How many calls take about `seconds`, from one timed call."""
    staged.barrier()
    begin = time.perf_counter()
    action()
    once = max(time.perf_counter() - begin, 1e-6)
    return max(2, min(200, int(seconds / once)))


def worker(pe, args, staged, rows):
    import torch
    import torch.distributed as dist
    import torch_npu  # noqa: F401

    torch.set_num_threads(1)
    torch.npu.set_device(pe % torch.npu.device_count())
    torch.ops.load_library(args.library)
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(pe, args.pes, 256 << 20, f"tcp://127.0.0.1:{args.port}")
    operator = torch.classes.ShmemOps.AllGather()
    if not args.only_compute:
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{args.gloo_port}", rank=pe,
                                world_size=args.pes)
    for size in args.sizes:
        mine = torch.full((1, size), pe + 1, dtype=torch.int8)
        device_in = mine.npu()
        device_out = torch.zeros(args.pes, 1, size, dtype=torch.int8).npu()
        host_out = torch.zeros(args.pes, size, dtype=torch.int8)

        def compute():
            operator.compute(device_out, device_in)
            torch.npu.synchronize()

        methods = {"compute": (compute, lambda: device_out.cpu().reshape(args.pes, size))}
        if not args.only_compute:
            rows_out = list(host_out)
            methods["gloo"] = (lambda: dist.all_gather(rows_out, mine[0]), lambda: host_out)
            methods["staged"] = (lambda: staged.gather(pe, mine, host_out), lambda: host_out)
        counts = {}
        for name, (action, result) in methods.items():
            host_out.zero_()
            action()
            right = all(bool((result()[p] == p + 1).all()) for p in range(args.pes))
            if not right:
                raise SystemExit(f"PE {pe}: {name} gathered wrong bytes at {size}")
            counts[name] = call_count(staged, action, args.seconds)
        # All PEs must make the same number of calls: PE 0 decides.
        path = f"{args.scratch}/counts-{size}.json"
        if pe == 0:
            with open(path + ".part", "w", encoding="utf-8") as file:
                json.dump(counts, file)
            os.rename(path + ".part", path)
        staged.barrier()
        with open(path, encoding="utf-8") as file:
            shared = json.load(file)
        samples = {name: [] for name in methods}
        for _ in range(args.repeats):
            for name, (action, _) in methods.items():
                for _ in range(10):
                    action()  # caches, and waits that adapt, get used to the method
                staged.barrier()
                begin = time.perf_counter()
                for _ in range(shared[name]):
                    action()
                samples[name].append((time.perf_counter() - begin) / shared[name])
        if pe == 0:
            row = {"pes": args.pes, "bytes": size}
            for name, values in samples.items():
                row[name] = {"min": min(values), "median": statistics.median(values), "max": max(values)}
            os.write(rows, (json.dumps(row) + "\n").encode())
    if not args.only_compute:
        dist.destroy_process_group()
    operator.close()
    manager.finalize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pes", type=int, required=True)
    parser.add_argument("--library", required=True, help="shmem_custom_ops_torch.so")
    parser.add_argument("--staged", required=True, help="libstaged_copy.so")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--gloo-port", type=int, default=0)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="time of one repetition of one method")
    parser.add_argument("--only-compute", action="store_true", help="without Gloo and memcpy")
    args = parser.parse_args()

    staged = Staged(args.staged, args.pes, max(args.sizes))
    forked.run_pes(args.pes, lambda pe: worker(pe, args, staged, sys.stdout.fileno()))


if __name__ == "__main__":
    main()
