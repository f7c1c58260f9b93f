"""torch.compile and torch.export of functions that call the other example operators, each PE in a process of its own.

    python3 tracing_examples.py LIBRARY PORT

Prints a line for each operator and way; equal means equal to the eager result on every PE, bit by bit.
"""

import multiprocessing
import pathlib
import sys

import torch
import torch_npu  # noqa: F401

PES = 2
PACKAGES = str(pathlib.Path(sys.argv[1]).parents[2] / "python")


class KVShuffle(torch.nn.Module):
    """Reads and writes its caches in place: what is computed from them before and after must not be confused."""

    name = "kv_shuffle"

    def __init__(self, package, op, pe):
        super().__init__()
        self.package, self.op = package, op
        self.routes = torch.tensor([[1, 0], [0, 1]]).npu()
        self.source, self.target = torch.tensor([2, 0, -1]).npu(), torch.tensor([1, 3, -1]).npu()

    def forward(self, x):
        k, v = x + 1, x * 2
        before = k.sum(0)
        self.package.kv_shuffle(self.op, k, v, self.routes, self.source, self.target)
        return torch.cat([before, (k * 3 + v).reshape(-1, *before.shape[1:])])

    @staticmethod
    def data(pe):
        return (torch.arange(4.0 * 2 * 3 * 5).reshape(4, 2, 3, 5) + 1000 * pe).npu()


class HaloExchange(torch.nn.Module):
    """Attributes by their default, by position and by name."""

    name = "halo_exchange"

    def __init__(self, package, op, pe):
        super().__init__()
        self.package, self.op = package, op

    def forward(self, x):
        once = torch.zeros(x.shape[0] + 2, x.shape[1] + 2, dtype=x.dtype, device=x.device)
        self.package.halo_exchange(self.op, once, x * 2)
        twice = torch.zeros(once.shape[0] + 4, once.shape[1] + 4, dtype=x.dtype, device=x.device)
        self.package.halo_exchange(self.op, twice, once, 2, periodic=True)
        return twice - 1

    @staticmethod
    def data(pe):
        return (torch.arange(15.0).reshape(3, 5) + 100 * pe).npu()


def equal_ways(module, pe):
    """Which ways of calling the module give the eager result; two calls each, with different data."""
    inputs = [module.data(pe), module.data(pe) - 7]
    want = [module(x).cpu() for x in inputs]
    ways = {f"compile {backend}": torch.compile(module, backend=backend, fullgraph=True) for backend in ("eager", "aot_eager")}
    ways["export"] = torch.export.export(module, (inputs[0],), strict=False).module()
    return {way: all(torch.equal(call(x).cpu(), y) for x, y in zip(inputs, want)) for way, call in ways.items()}


def worker(pe, results):
    sys.path.insert(0, PACKAGES)
    torch.set_num_threads(1)
    torch.npu.set_device(pe)
    import shmem_custom_ops
    from shmem_custom_ops import halo_exchange, kv_shuffle

    manager = shmem_custom_ops.manager()
    manager.attr_init(pe, PES, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
    for module, package in ((KVShuffle, kv_shuffle), (HaloExchange, halo_exchange)):
        op = package.new()
        results.put((module.name, equal_ways(module(package, op, pe), pe)))
        op.close()
    manager.finalize()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    pes = [context.Process(target=worker, args=(pe, results)) for pe in range(PES)]
    for process in pes:
        process.start()
    for process in pes:
        process.join()
    if any(process.exitcode for process in pes):
        sys.exit(f"exit codes of the PEs: {[process.exitcode for process in pes]}")
    equal = {}
    while not results.empty():
        name, ways = results.get()
        for way, same in ways.items():
            equal.setdefault((name, way), []).append(same)
    for (name, way), on_pes in sorted(equal.items()):
        print(f"{name}, {way}: {all(on_pes) and len(on_pes) == PES}")
