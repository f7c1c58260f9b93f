# Written by shmem-bind 0.1.0: custom-ops/halo_exchange/docs/design.md
# contract d4fcdab58763ee47, text 564a3b4eca72df5e
"""HaloExchange, from custom-ops/halo_exchange/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("halo_exchange")
register_for_tracing("HaloExchange", "halo_exchange")


class HaloExchange(Protocol):
    """torch.classes.ShmemOps.HaloExchange. Every method is collective but get_name."""

    def compute(
        self,
        output: torch.Tensor,
        input: torch.Tensor,
        halo: int = 1,
        periodic: bool = False,
        grid_cols: int = 0,
    ) -> None:
        """
        output: written, [rows + (2 * halo), cols + (2 * halo)]; int8, int32, fp16, bf16, fp32
        input: read, [rows, cols]; int8, int32, fp16, bf16, fp32
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> HaloExchange:
    """A torch.classes.ShmemOps.HaloExchange, after Manager.attr_init(). Collective."""
    made: HaloExchange = torch.classes.ShmemOps.HaloExchange()
    return made


def halo_exchange(
    op: HaloExchange,
    output: torch.Tensor,
    input: torch.Tensor,
    halo: int = 1,
    periodic: bool = False,
    grid_cols: int = 0,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.halo_exchange, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.halo_exchange(op, output, input, halo, periodic, grid_cols)
    else:
        op.compute(output, input, halo, periodic, grid_cols)
