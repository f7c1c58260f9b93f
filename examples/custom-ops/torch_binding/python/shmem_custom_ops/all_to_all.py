# Written by shmem-bind 0.1.0: custom-ops/all_to_all/docs/design.md
# contract d8183d362fa138ba, text ebc26bbe396f9b64
"""AllToAll, from custom-ops/all_to_all/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("all_to_all")
register_for_tracing("AllToAll", "all_to_all")


class AllToAll(Protocol):
    """torch.classes.ShmemOps.AllToAll. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor,
        input: torch.Tensor,
        splits: torch.Tensor,
    ) -> None:
        """
        output: written, [n_pes * rows, cols]; int8, int32, fp16, bf16, fp32
        input: read, [rows, cols]; int8, int32, fp16, bf16, fp32
        splits: read, [n_pes, n_pes]; int64
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> AllToAll:
    """A torch.classes.ShmemOps.AllToAll, after Manager.attr_init(). Collective."""
    made: AllToAll = torch.classes.ShmemOps.AllToAll()
    return made


def all_to_all(
    op: AllToAll,
    output: torch.Tensor,
    input: torch.Tensor,
    splits: torch.Tensor,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.all_to_all, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.all_to_all(op, output, input, splits)
    else:
        op.compute(output, input, splits)
