#pragma once

#include <cstdint>

namespace ShmemKernel {

// The sum of the inputs of all PEs, in the order of the PEs. `magic` is the number of the call.
template <class T>
void aclshmem_all_reduce(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic);

}  // namespace ShmemKernel
