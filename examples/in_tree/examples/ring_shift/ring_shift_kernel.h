#ifndef RING_SHIFT_KERNEL_H
#define RING_SHIFT_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one shift on `stream` and returns at once. Collective: every PE calls it with the same `elements` and `magic`.
// `gva` is symmetric memory of the size the contract names, zeroed before the first call. `magic` is 256 times a call
// number that starts at 1.
template <class T>
void aclshmem_ring_shift(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output, uint8_t* gva,
                         int64_t elements, int32_t magic);

}  // namespace ShmemKernel

#endif  // RING_SHIFT_KERNEL_H
