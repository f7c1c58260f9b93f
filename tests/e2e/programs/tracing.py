"""torch.compile and torch.export of functions that call the operator, through the generated Python package.

    python3 tracing.py LIBRARY PORT

Prints a line for each way; equal means equal to the eager result, bit by bit.
"""

import pathlib
import sys

import torch
import torch_npu  # noqa: F401

sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parents[2] / "python"))
torch.npu.set_device(0)

import shmem_custom_ops  # noqa: E402
from shmem_custom_ops import all_gather as package  # noqa: E402

manager = shmem_custom_ops.manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}")
first, second = package.new(), package.new()
print("objects", first == first, first == second, first == 3, hash(first) == hash(first))
schema = torch.ops.shmem_ops.all_gather.default._schema
print("mutates", [argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write])


def made_inside(op, x):
    y = x + 1
    gathered = torch.empty(1, *y.shape, dtype=y.dtype, device=y.device)
    package.all_gather(op, gathered, y)
    return gathered * 2


def given(op, gathered, x):
    package.all_gather(op, gathered, x * 3)
    return gathered.sum(0)


def same(function, reference, x):
    """Two objects, two calls each: the second call of an object must not be the first one's result."""
    for op in (first, second):
        for data in (x, x - 7):
            if not torch.equal(function(op, data).cpu(), reference(op, data).cpu()):
                return False
    return True


def with_output(function):
    def run(op, x):
        out = torch.zeros(1, *x.shape, dtype=x.dtype, device=x.device)
        result = function(op, out, x)
        return torch.cat([out, result.unsqueeze(0)])

    return run


x = torch.arange(12.0).reshape(3, 4).npu()
for backend in ("eager", "aot_eager"):
    compiled = torch.compile(made_inside, backend=backend, fullgraph=True)
    print(f"compile {backend}, output made inside:", same(compiled, made_inside, x))
    compiled = torch.compile(given, backend=backend, fullgraph=True)
    print(f"compile {backend}, output given:", same(with_output(compiled), with_output(given), x))


class Module(torch.nn.Module):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def forward(self, x):
        return made_inside(self.op, x)


exported = torch.export.export(Module(first), (x,), strict=False)
calls = [str(node.target) for node in exported.graph.nodes if "shmem_ops" in str(node.target)]
print("export:", calls, torch.equal(exported.module()(x - 7).cpu(), made_inside(first, x - 7).cpu()))
meta = torch.empty(1, 4, 8, device="meta")
print("meta", torch.ops.shmem_ops.all_gather(first, meta, torch.empty(4, 8, device="meta")))
first.close()
second.close()
manager.finalize()
