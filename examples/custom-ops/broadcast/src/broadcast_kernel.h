#ifndef BROADCAST_KERNEL_H
#define BROADCAST_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one broadcast on `stream` and returns at once. Collective: every PE calls it with the same `elements`, `root`
// and `magic`. `input` and `output` hold `elements` values of T; only the root's input is read. `gva` is symmetric memory
// of the size the contract names, zeroed before the first call. `magic` is 256 times a call number that starts at 1.
template <class T>
void aclshmem_broadcast(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                        uint8_t* gva, int64_t elements, int32_t root, int32_t magic);

}  // namespace ShmemKernel

#endif  // BROADCAST_KERNEL_H
