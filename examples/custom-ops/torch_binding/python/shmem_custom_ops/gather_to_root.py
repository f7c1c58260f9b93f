# Written by shmem-bind 0.1.0: custom-ops/gather_to_root/docs/design.md
# contract 2d81de16212c8900, text b647e632d6291fb1
"""GatherToRoot, from custom-ops/gather_to_root/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("gather_to_root")
register_for_tracing("GatherToRoot", "gather_to_root")


class GatherToRoot(Protocol):
    """torch.classes.ShmemOps.GatherToRoot. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor | None,
        input: torch.Tensor,
        root: int = 0,
    ) -> None:
        """
        output: written, [n_pes, rows, cols]; int8, int32, fp16, bf16, fp32; None on a PE that has none
        input: read, [rows, cols]; int8, int32, fp16, bf16, fp32
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> GatherToRoot:
    """A torch.classes.ShmemOps.GatherToRoot, after Manager.attr_init(). Collective."""
    made: GatherToRoot = torch.classes.ShmemOps.GatherToRoot()
    return made


def gather_to_root(
    op: GatherToRoot,
    output: torch.Tensor | None,
    input: torch.Tensor,
    root: int = 0,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.gather_to_root, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.gather_to_root(op, output, input, root)
    else:
        op.compute(output, input, root)
