"""torch.compile and torch.export of functions that call operators, through the generated Python package. One PE.

    python3 tracing.py LIBRARY OPERATOR[,OPERATOR…] PORT

Prints a line for each operator and way; equal means equal to the eager result, bit by bit.
"""

import importlib
import pathlib
import sys

import torch
import torch_npu  # noqa: F401
from torch.utils._python_dispatch import TorchDispatchMode

LIBRARY, OPERATORS, PORT = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(LIBRARY).parents[2] / "python"))
torch.npu.set_device(0)

import shmem_custom_ops  # noqa: E402

ROWS = 3
STACKED = ["all_gather", "gather_to_root"]  # output [n_pes, rows, cols]; else [rows, cols] on one PE


def output_shape(operator, shape):
    return (1, *shape) if operator in STACKED else tuple(shape)


def functions_of(operator, call, tables):
    """Two functions of an operator object: the output made inside of them, and given to them."""

    def made_inside(op, x):
        y = x + 1
        output = torch.empty(output_shape(operator, y.shape), dtype=y.dtype, device=y.device)
        call(op, output, y, *tables)
        return output * 2

    def given(op, output, x):
        call(op, output, x * 3, *tables)
        return output.sum(0)

    return made_inside, given


def same(objects, function, reference, x):
    """Two objects, two calls each: the second call of an object must not be the first one's result."""
    for op in objects:
        for data in (x, x - 7):
            if not torch.equal(function(op, data).cpu(), reference(op, data).cpu()):
                return False
    return True


def with_output(operator, function):
    def run(op, x):
        output = torch.zeros(output_shape(operator, x.shape), dtype=x.dtype, device=x.device)
        result = function(op, output, x)
        return torch.cat([output.flatten(), result.flatten()])

    return run


class Seen(TorchDispatchMode):
    """The operators of the binding that a dispatch mode is shown."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "shmem_ops" in str(func):
            self.names.add(str(func))
        return func(*args, **(kwargs or {}))


class Module(torch.nn.Module):
    def __init__(self, op, function):
        super().__init__()
        self.op = op
        self.function = function

    def forward(self, x):
        return self.function(self.op, x)


def trace(operator, x):
    """The lines that are printed."""
    package = importlib.import_module(f"shmem_custom_ops.{operator}")
    first, second = objects = package.new(), package.new()
    yield f"objects {first == first} {first == second} {first == 3} {hash(first) == hash(first)}"
    functional = getattr(torch.ops.shmem_ops, operator)
    arguments = functional.default._schema.arguments
    yield f"mutates {[argument.name for argument in arguments if argument.alias_info and argument.alias_info.is_write]}"
    call = getattr(package, operator)
    tables = [torch.tensor([[ROWS]]).npu()] if operator == "all_to_all" else []
    made_inside, given = functions_of(operator, call, tables)
    for backend in ("eager", "aot_eager"):
        compiled = torch.compile(made_inside, backend=backend, fullgraph=True)
        yield f"compile {backend}, output made inside: {same(objects, compiled, made_inside, x)}"
        compiled = torch.compile(given, backend=backend, fullgraph=True)
        yield f"compile {backend}, output given: {same(objects, with_output(operator, compiled), with_output(operator, given), x)}"
    exported = torch.export.export(Module(first, made_inside), (x,), strict=False)
    calls = [str(node.target) for node in exported.graph.nodes if "shmem_ops" in str(node.target)]
    yield f"export: {calls} {torch.equal(exported.module()(x - 7).cpu(), made_inside(first, x - 7).cpu())}"
    meta = torch.empty(output_shape(operator, (4, 8)), device="meta")
    yield f"meta {functional(first, meta, torch.empty(4, 8, device='meta'), *[table.to('meta') for table in tables])}"
    with Seen() as seen:
        made_inside(first, x)
    yield f"a dispatch mode sees {sorted(seen.names)}"
    if operator == "gather_to_root":  # its output may be absent: here there is nothing to gather

        def absent(op, x):
            call(op, None, x[:0])
            return x + 1

        for backend in ("eager", "aot_eager"):
            compiled = torch.compile(absent, backend=backend, fullgraph=True)
            yield f"compile {backend}, no output: {same(objects, compiled, absent, x)}"
    first.close()
    second.close()


manager = None
for operator in OPERATORS.split(","):
    importlib.import_module(f"shmem_custom_ops.{operator}")
    if manager is None:
        manager = shmem_custom_ops.manager()
        manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{PORT}")
    for line in trace(operator, torch.arange(4.0 * ROWS).reshape(ROWS, 4).npu()):
        print(f"{operator}: {line}")
manager.finalize()
