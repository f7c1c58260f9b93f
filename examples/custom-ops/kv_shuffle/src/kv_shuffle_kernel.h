#ifndef KV_SHUFFLE_KERNEL_H
#define KV_SHUFFLE_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one shuffle on `stream` and returns at once. Collective: every PE calls it with the same numbers and the same
// `global_shuffle_table`. `k_cache` and `v_cache` hold `blocks` blocks of `block_elements` values of T each,
// `src_block_table` and `dst_block_table` hold `moves` block numbers. Tables are int64. `gva` is symmetric memory of the
// size the contract names, zeroed before the first call. `magic` is 256 times a call number that starts at 1.
template <class T>
void aclshmem_kv_shuffle(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* k_cache, uint8_t* v_cache,
                         uint8_t* global_shuffle_table, uint8_t* src_block_table, uint8_t* dst_block_table, uint8_t* gva,
                         int64_t blocks, int64_t block_elements, int64_t moves, int32_t magic);

}  // namespace ShmemKernel

#endif  // KV_SHUFFLE_KERNEL_H
