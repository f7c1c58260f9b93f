# Written by shmem-bind 0.1.0: custom-ops/broadcast/docs/design.md
# contract bd780c16d05f2df2, text e8c099b680bdf0c4
"""Broadcast, from custom-ops/broadcast/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("broadcast")
register_for_tracing("Broadcast", "broadcast")


class Broadcast(Protocol):
    """torch.classes.ShmemOps.Broadcast. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor,
        input: torch.Tensor,
        root: int = 0,
    ) -> None:
        """
        output: written, [rows, cols]; int8, int32, fp16, bf16, fp32, fp8_e4m3fn, fp8_e5m2
        input: read, [rows, cols]; int8, int32, fp16, bf16, fp32, fp8_e4m3fn, fp8_e5m2
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> Broadcast:
    """A torch.classes.ShmemOps.Broadcast, after Manager.attr_init(). Collective."""
    made: Broadcast = torch.classes.ShmemOps.Broadcast()
    return made


def broadcast(
    op: Broadcast,
    output: torch.Tensor,
    input: torch.Tensor,
    root: int = 0,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.broadcast, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.broadcast(op, output, input, root)
    else:
        op.compute(output, input, root)
