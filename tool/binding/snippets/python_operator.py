"""@@class@@, from @@folder@@/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("@@op@@")
register_for_tracing("@@class@@", "@@op@@")


class @@class@@(Protocol):
    """torch.classes.ShmemOps.@@class@@. Every method is collective but get_name."""

    def compute(
        self,
@@parameters@@
    ) -> None:
        """
@@shapes@@
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; @@close@@."""

    def get_name(self) -> str: ...


def new() -> @@class@@:
    """A torch.classes.ShmemOps.@@class@@, after Manager.attr_init(). Collective."""
    made: @@class@@ = torch.classes.ShmemOps.@@class@@()
    return made


def @@op@@(
    op: @@class@@,
@@function_parameters@@
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.@@op@@, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.@@op@@(op, @@arguments@@)
    else:
        op.compute(@@arguments@@)
