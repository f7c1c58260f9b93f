# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
# contract eebdb9ca094da100, text 51fedf2ca7d86674
"""AllGather, from custom-ops/all_gather/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("all_gather")
register_for_tracing("AllGather", "all_gather")


class AllGather(Protocol):
    """torch.classes.ShmemOps.AllGather. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor,
        input: torch.Tensor,
    ) -> None:
        """
        output: written, [n_pes, rows, cols]; int8, int32, fp16, bf16, fp32
        input: read, [rows, cols]; int8, int32, fp16, bf16, fp32
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> AllGather:
    """A torch.classes.ShmemOps.AllGather, after Manager.attr_init(). Collective."""
    made: AllGather = torch.classes.ShmemOps.AllGather()
    return made


def all_gather(
    op: AllGather,
    output: torch.Tensor,
    input: torch.Tensor,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.all_gather, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.all_gather(op, output, input)
    else:
        op.compute(output, input)
