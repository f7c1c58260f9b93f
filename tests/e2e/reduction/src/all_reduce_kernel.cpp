// A sum over symmetric memory, one block, element by element. Slots alternate: who writes a slot
// again has heard of the call between, which every PE announces only after it has read the slot.

#include "all_reduce_kernel.h"

#include "kernel_operator.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 16;
constexpr int64_t kFlagBytes = 64;
constexpr int64_t kSlotBytes = 16 * 1024;
constexpr uint32_t kCopyBytes = 64 * 1024;

__aicore__ inline int32_t ValueOf(__gm__ int32_t* address, int32_t pe) {
  return aclshmem_int32_g(address, pe);
}
__aicore__ inline float ValueOf(__gm__ float* address, int32_t pe) {
  return aclshmem_float_g(address, pe);
}

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemAllReduce(
    uint64_t ffts, GM_ADDR input, GM_ADDR output, GM_ADDR gva, int64_t elements, int32_t magic) {
  util_set_ffts_config(ffts);
  const int32_t me = aclshmem_my_pe();
  const int32_t pes = aclshmem_n_pes();
  __gm__ T* slot =
      reinterpret_cast<__gm__ T*>(gva + kMaxPes * kFlagBytes + (magic & 1) * kSlotBytes);
  aclshmemx_mte_put_nbi(slot,
                        reinterpret_cast<__gm__ T*>(input),
                        reinterpret_cast<__ubuf__ T*>(uint64_t(0)),
                        kCopyBytes,
                        static_cast<uint32_t>(elements),
                        me,
                        EVENT_ID0);
  aclshmem_quiet();  // the input is complete before anyone hears of it
  for (int32_t pe = 0; pe < pes; ++pe) {
    aclshmemx_signal_op(
        reinterpret_cast<__gm__ int32_t*>(gva + me * kFlagBytes), magic, ACLSHMEM_SIGNAL_SET, pe);
  }
  for (int32_t pe = 0; pe < pes; ++pe) {
    aclshmem_signal_wait_until(
        reinterpret_cast<__gm__ int32_t*>(gva + pe * kFlagBytes), ACLSHMEM_CMP_GE, magic);
  }
  AscendC::LocalTensor<T> sums(AscendC::TPosition::VECOUT, kCopyBytes, kSlotBytes / sizeof(T));
  for (int64_t at = 0; at < elements; ++at) {
    T sum = 0;
    for (int32_t pe = 0; pe < pes; ++pe) {
      sum += ValueOf(slot + at, pe);
    }
    sums.SetValue(static_cast<uint32_t>(at), sum);
  }
  AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
  AscendC::GlobalTensor<T> result;
  result.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(output), static_cast<uint64_t>(elements));
  AscendC::DataCopyPad(
      result,
      sums,
      AscendC::DataCopyExtParams(1, static_cast<uint32_t>(elements * sizeof(T)), 0, 0, 0));
}

}  // namespace

namespace ShmemKernel {

template <class T>
void aclshmem_all_reduce(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic) {
  ShmemAllReduce<T><<<block_dim, nullptr, stream>>>(fftsAddr, input, output, gva, elements, magic);
}

template void aclshmem_all_reduce<int32_t>(
    uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_all_reduce<float>(
    uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);

}  // namespace ShmemKernel
