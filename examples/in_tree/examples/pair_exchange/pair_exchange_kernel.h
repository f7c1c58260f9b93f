#ifndef PAIR_EXCHANGE_KERNEL_H
#define PAIR_EXCHANGE_KERNEL_H

#include <cstdint>

namespace ShmemKernel {

// Bytes of symmetric memory, zeroed before the first call, that `state` points to.
constexpr int64_t kPairExchangeStateBytes = 3 * 64 + 64 * 1024;

// PE 2k and PE 2k + 1 swap `bytes` bytes; with an odd number of PEs the last one keeps its own. Collective. `magic` is 4096
// times a call number that starts at 1.
void aclshmem_pair_exchange(void* stream, uint64_t ffts, uint8_t* input, uint8_t* output, uint8_t* state, int64_t bytes,
                            int32_t magic);

}  // namespace ShmemKernel

#endif  // PAIR_EXCHANGE_KERNEL_H
