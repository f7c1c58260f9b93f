// The kernels that the Torch extension calls.
#pragma once

#include <cstdint>

namespace ShmemKernel {
template <class T>
void aclshmem_all_gather(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic);
}  // namespace ShmemKernel
