"""Cost of the call itself: a class method that only queues an empty handler, compute(), the operator form.

Called by bench/run.py; prints one JSON list. One PE, so that nothing waits for a peer; interleaved rounds, medians.
"""

import argparse
import importlib
import json
import pathlib
import statistics
import sys
import time

import torch
import torch_npu  # noqa: F401


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--empty-handler", required=True, help="library of bench/empty_handler.cpp")
    parser.add_argument("--port", type=int, required=True)
    args = parser.parse_args()
    torch.npu.set_device(0)
    torch.ops.load_library(args.library)
    torch.classes.load_library(args.empty_handler)
    manager = torch.classes.ShmemOps.Manager()
    manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{args.port}")
    operator = torch.classes.ShmemOps.AllGather()
    source = torch.ones(1, 16, dtype=torch.int32).npu()
    target = torch.zeros(1, 1, 16, dtype=torch.int32).npu()
    call = operator.compute
    sys.path.insert(0, str(pathlib.Path(args.library).parents[2] / "python"))
    package = importlib.import_module("shmem_custom_ops.all_gather")
    form = torch.ops.shmem_ops.all_gather.default
    empty = torch.classes.ShmemOpsBench.EmptyHandler()
    handle = torch.ops.shmem_ops_bench.empty_handler.default
    calls = {
        "a method that queues an empty handler": lambda: empty.compute(target, source),
        "op.compute(output, input)": lambda: operator.compute(target, source),
        "compute bound once": lambda: call(target, source),
        "shmem_custom_ops.all_gather.all_gather": lambda: package.all_gather(operator, target, source),
        "torch.ops.shmem_ops.all_gather": lambda: form(operator, target, source),
        "torch.ops that takes a number and queues an empty handler": lambda: handle(7, target, source),
        "op.get_name()": operator.get_name,
        "torch.add of the same 16 elements": lambda: torch.add(source, source, out=target[0]),
    }
    samples = {name: [] for name in calls}
    for _ in range(9):
        for name, action in calls.items():
            torch.npu.synchronize()
            begin = time.perf_counter_ns()
            for _ in range(300):
                action()
            samples[name].append((time.perf_counter_ns() - begin) / 300)
            torch.npu.synchronize()
    print(json.dumps([{"name": name, "ns": statistics.median(values)} for name, values in samples.items()]))
    operator.close()
    manager.finalize()


if __name__ == "__main__":
    main()
