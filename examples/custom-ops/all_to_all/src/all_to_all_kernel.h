#ifndef ALL_TO_ALL_KERNEL_H
#define ALL_TO_ALL_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one all-to-all on `stream` and returns at once. Collective: every PE calls it with the same `rows`, `cols`,
// table and `magic`. `input` holds rows x cols values of T, ordered by destination. `splits` holds n_pes x n_pes numbers
// of rows: [i][j] from PE i to PE j, none negative, at most `rows` in a line; with any other table nothing is moved, on no
// PE. `output` has room for n_pes * rows rows and receives them ordered by source; rows behind the last one stay as they
// are. `gva` is symmetric memory of the size the contract names, zeroed before the first call. `magic` is 1024 times a
// call number that starts at 1.
template <class T>
void aclshmem_all_to_all(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, int64_t* splits,
                         uint8_t* output, uint8_t* gva, int64_t rows, int64_t cols, int32_t magic);

}  // namespace ShmemKernel

#endif  // ALL_TO_ALL_KERNEL_H
