#ifndef HALO_EXCHANGE_KERNEL_H
#define HALO_EXCHANGE_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one halo exchange on `stream` and returns at once. Collective: every PE calls it with the same numbers. `input`
// holds a tile of `rows` x `cols` values of T, `output` one of (rows + 2 halo) x (cols + 2 halo). The PEs form a grid of
// `grid_cols` columns, row by row; 0: as square as their number allows. `gva` is symmetric memory of the size the contract
// names, zeroed before the first call. `magic` is a call number that starts at 1.
template <class T>
void aclshmem_halo_exchange(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                            uint8_t* gva, int64_t rows, int64_t cols, int32_t halo, int32_t periodic, int32_t grid_cols,
                            int32_t magic);

}  // namespace ShmemKernel

#endif  // HALO_EXCHANGE_KERNEL_H
