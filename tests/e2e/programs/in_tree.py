"""torch.compile of a function that calls the in-tree operator, through the generated Python package.

    python3 in_tree.py TREE PORT
"""

import pathlib
import sys

import torch
import torch_npu  # noqa: F401

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "examples/torch_binding/python"))
torch.npu.set_device(0)

import aclshmem_ops  # noqa: E402
from aclshmem_ops import ring_shift as package  # noqa: E402


def refused(function):
    """The first line of what it raises."""
    try:
        function()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return "not refused"


def shifted(op, x):
    out = torch.empty_like(x)
    package.ring_shift(op, out, x + 1)
    return out * 2


print("before attr_init:", refused(package.new))
manager = aclshmem_ops.manager()
assert manager.attr_init(0, 1, 64 << 20, f"tcp://127.0.0.1:{sys.argv[2]}") == 0
op, left_open = package.new(), package.new()
x = torch.arange(12.0).reshape(3, 4).npu()
compiled = torch.compile(shifted, backend="eager", fullgraph=True)
print("compiled:", torch.equal(compiled(op, x).cpu(), shifted(op, x).cpu()), torch.equal(shifted(op, x).cpu(), (x.cpu() + 1) * 2))
op.close()
op.close()
print("after close:", refused(lambda: op.compute(x.clone(), x)))
manager.finalize()  # the tree's own: it does not know our objects
print("after finalize:", refused(lambda: left_open.compute(x.clone(), x)))
left_open.close()
print("end")
