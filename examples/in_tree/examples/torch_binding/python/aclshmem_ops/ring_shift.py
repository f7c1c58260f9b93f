# Written by shmem-bind 0.1.0: examples/ring_shift/docs/design.md
# contract 6bd9fca4fbbe80bc, text 5f947d9a9794b16a
"""RingShift, from examples/ring_shift/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("ring_shift")
register_for_tracing("RingShift", "ring_shift")


class RingShift(Protocol):
    """torch.classes.ShmemOps.RingShift. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor,
        input: torch.Tensor,
    ) -> None:
        """
        output: written, [rows, cols]; int8, fp16, fp32
        input: read, [rows, cols]; int8, fp16, fp32
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; comes before Manager.finalize()."""

    def get_name(self) -> str: ...


def new() -> RingShift:
    """A torch.classes.ShmemOps.RingShift, after Manager.attr_init(). Collective."""
    made: RingShift = torch.classes.ShmemOps.RingShift()
    return made


def ring_shift(
    op: RingShift,
    output: torch.Tensor,
    input: torch.Tensor,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.ring_shift, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.ring_shift(op, output, input)
    else:
        op.compute(output, input)
