"""torch.compile and torch.export of functions that call an operator, through the generated Python package. One PE.

    python3 tracing.py LIBRARY OPERATOR PORT

Prints a line for each way; equal means equal to the eager result, bit by bit.
"""

import importlib
import pathlib
import sys

import torch
import torch_npu  # noqa: F401

LIBRARY, OPERATOR, PORT = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(LIBRARY).parents[2] / "python"))
torch.npu.set_device(0)

import shmem_custom_ops  # noqa: E402

package = importlib.import_module(f"shmem_custom_ops.{OPERATOR}")
call = getattr(package, OPERATOR)
manager = shmem_custom_ops.manager()
manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{PORT}")
first, second = package.new(), package.new()
print("objects", first == first, first == second, first == 3, hash(first) == hash(first))
functional = getattr(torch.ops.shmem_ops, OPERATOR)
arguments = functional.default._schema.arguments
print("mutates", [argument.name for argument in arguments if argument.alias_info and argument.alias_info.is_write])

ROWS = 3
tables = [torch.tensor([[ROWS]]).npu()] if OPERATOR == "all_to_all" else []


def output_shape(shape):
    return (1, *shape) if OPERATOR in ("all_gather", "gather_to_root") else tuple(shape)


def made_inside(op, x):
    y = x + 1
    output = torch.empty(output_shape(y.shape), dtype=y.dtype, device=y.device)
    call(op, output, y, *tables)
    return output * 2


def given(op, output, x):
    call(op, output, x * 3, *tables)
    return output.sum(0)


def same(function, reference, x):
    """Two objects, two calls each: the second call of an object must not be the first one's result."""
    for op in (first, second):
        for data in (x, x - 7):
            if not torch.equal(function(op, data).cpu(), reference(op, data).cpu()):
                return False
    return True


def with_output(function):
    def run(op, x):
        output = torch.zeros(output_shape(x.shape), dtype=x.dtype, device=x.device)
        result = function(op, output, x)
        return torch.cat([output.flatten(), result.flatten()])

    return run


x = torch.arange(4.0 * ROWS).reshape(ROWS, 4).npu()
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
meta = torch.empty(output_shape((4, 8)), device="meta")
print("meta", functional(first, meta, torch.empty(4, 8, device="meta"), *[table.to("meta") for table in tables]))

if OPERATOR == "gather_to_root":  # the only one whose output may be absent: here of nothing

    def absent(op, x):
        call(op, None, x[:0])
        return x + 1

    for backend in ("eager", "aot_eager"):
        compiled = torch.compile(absent, backend=backend, fullgraph=True)
        print(f"compile {backend}, no output:", same(compiled, absent, x))
first.close()
second.close()
manager.finalize()
