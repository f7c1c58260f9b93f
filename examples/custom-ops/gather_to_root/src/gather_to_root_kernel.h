#ifndef GATHER_TO_ROOT_KERNEL_H
#define GATHER_TO_ROOT_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Enqueues one gather on `stream` and returns at once. Collective: every PE calls it with the same `elements`, `root` and
// `magic`. `input` holds `elements` values of T. `output` holds n_pes * elements on the root; on the other PEs it is not
// looked at and may be null. `gva` is symmetric memory of the size the contract names, zeroed before the first call.
// `magic` is 256 times a call number that starts at 1.
template <class T>
void aclshmem_gather_to_root(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                             uint8_t* gva, int64_t elements, int32_t root, int32_t magic);

}  // namespace ShmemKernel

#endif  // GATHER_TO_ROOT_KERNEL_H
