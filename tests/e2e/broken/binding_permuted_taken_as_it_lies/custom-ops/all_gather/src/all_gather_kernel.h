#ifndef ALL_GATHER_KERNEL_H
#define ALL_GATHER_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one all-gather on `stream` and returns at once. Collective: every PE calls it with the same `elements` and
// `magic`. `input` holds `elements` values of T, `output` n_pes * elements. `gva` is symmetric memory of the size the
// contract names, zeroed before the first call. `magic` is 256 times a call number that starts at 1.
template <class T>
void aclshmem_all_gather(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                         uint8_t* gva, int64_t elements, int32_t magic);

}  // namespace ShmemKernel

#endif  // ALL_GATHER_KERNEL_H
