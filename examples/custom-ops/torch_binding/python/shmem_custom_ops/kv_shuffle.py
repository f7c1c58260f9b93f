# Written by shmem-bind 0.1.0: custom-ops/kv_shuffle/docs/design.md
# contract 105664ba1638fdad, text 9fc0d18f89dabd4c
"""KVShuffle, from custom-ops/kv_shuffle/docs/design.md."""

from typing import Protocol

import torch

from . import is_traced, load, register_for_tracing

load("kv_shuffle")
register_for_tracing("KVShuffle", "kv_shuffle")


class KVShuffle(Protocol):
    """torch.classes.ShmemOps.KVShuffle. Every method is collective but get_name."""

    def compute(
        self,
        k_cache: torch.Tensor,
        v_cache: torch.Tensor,
        global_shuffle_table: torch.Tensor,
        src_block_table: torch.Tensor,
        dst_block_table: torch.Tensor,
    ) -> None:
        """
        k_cache: read and written, [blocks, block_size, heads, head_dim]; int8, fp16, bf16, fp32
        v_cache: read and written, [blocks, block_size, heads, head_dim]; int8, fp16, bf16, fp32
        global_shuffle_table: read, [n_pes, 2]; int64
        src_block_table: read, [moves]; int64
        dst_block_table: read, [moves]; int64
        """

    def close(self) -> None:
        """Frees the symmetric state. Idempotent; Manager.finalize() does it for objects that are still open."""

    def get_name(self) -> str: ...


def new() -> KVShuffle:
    """A torch.classes.ShmemOps.KVShuffle, after Manager.attr_init(). Collective."""
    made: KVShuffle = torch.classes.ShmemOps.KVShuffle()
    return made


def kv_shuffle(
    op: KVShuffle,
    k_cache: torch.Tensor,
    v_cache: torch.Tensor,
    global_shuffle_table: torch.Tensor,
    src_block_table: torch.Tensor,
    dst_block_table: torch.Tensor,
) -> None:
    """The functional form of op.compute(): torch.compile and torch.export see the operator torch.ops.shmem_ops.kv_shuffle, a
    plain call costs what op.compute() does."""
    if is_traced(op):
        torch.ops.shmem_ops.kv_shuffle(op, k_cache, v_cache, global_shuffle_table, src_block_table, dst_block_table)
    else:
        op.compute(k_cache, v_cache, global_shuffle_table, src_block_table, dst_block_table)
