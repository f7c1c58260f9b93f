#ifndef SHMEM_TORCH_KERNEL_H
#define SHMEM_TORCH_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

constexpr int64_t kPairExchangeStateBytes = 3 * 64 + 64 * 1024;
void aclshmem_pair_exchange(void* stream, uint64_t ffts, uint8_t* input, uint8_t* output, uint8_t* state, int64_t bytes,
                            int32_t magic);

}  // namespace ShmemKernel

// shmem-bind: declarations begin
// operator ring_shift, text 10856ea3aec1cc40
#include <cstdint>

#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

namespace ShmemKernel {
template <class T>
void aclshmem_ring_shift(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic);
}  // namespace ShmemKernel
// shmem-bind: declarations end
#endif  // SHMEM_TORCH_KERNEL_H
