// RingShift over symmetric memory: docs/design.md, section 3.

#include "ring_shift_kernel.h"

#include "kernel_operator.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxBlocks = 8;
constexpr int64_t kFlagBytes = 64;          // one flag per cache line
constexpr int64_t kPieceBytes = 64 * 1024;  // one step of one block
constexpr uint32_t kCopyBytes = 64 * 1024;  // unified buffer used by one transfer

// The symmetric state: each word has one writer.
constexpr int64_t kReady = 0;                                   // [block], written by the left neighbour
constexpr int64_t kAck = kReady + kMaxBlocks * kFlagBytes;      // [block], written by the right neighbour
constexpr int64_t kUsed = kAck + kMaxBlocks * kFlagBytes;       // [block], own
constexpr int64_t kSlots = kUsed + kMaxBlocks * kFlagBytes;     // [block], written by the left neighbour

template <class T>
class RingShift {
 public:
  __aicore__ inline RingShift(GM_ADDR input, GM_ADDR output, GM_ADDR gva, int64_t elements, int32_t magic)
      : input_(reinterpret_cast<__gm__ T*>(input)),
        output_(reinterpret_cast<__gm__ T*>(output)),
        gva_(gva),
        elements_(elements),
        sequence_(magic),
        me_(aclshmem_my_pe()),
        left_((me_ + aclshmem_n_pes() - 1) % aclshmem_n_pes()),
        right_((me_ + 1) % aclshmem_n_pes()),
        block_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        blocks_(static_cast<int32_t>(AscendC::GetBlockNum())) {}

  __aicore__ inline void Run() {
    constexpr int64_t kLine = 32 / sizeof(T);  // ranges start on 32 bytes
    constexpr int64_t kPiece = kPieceBytes / sizeof(T);
    const int64_t share = ((elements_ + blocks_ - 1) / blocks_ + kLine - 1) / kLine * kLine;
    const int64_t begin = share * block_;
    const int64_t end = begin + share < elements_ ? begin + share : elements_;
    for (int64_t at = begin; at < end; at += kPiece) {
      ShiftPiece(at, static_cast<uint32_t>(at + kPiece < end ? kPiece : end - at));
      ++sequence_;
    }
  }

 private:
  __aicore__ inline void ShiftPiece(int64_t at, uint32_t count) {
    __gm__ int32_t* used = Flag(kUsed);
    aclshmem_signal_wait_until(Flag(kAck), ACLSHMEM_CMP_GE, aclshmem_int32_g(used, me_));
    aclshmem_int32_p(used, sequence_, me_);
    aclshmemx_mte_put_nbi(Slot(), input_ + at, Buffer(), kCopyBytes, count, right_, EVENT_ID0);
    aclshmem_quiet();  // the piece is complete before the neighbour hears of it
    aclshmemx_signal_op(Flag(kReady), sequence_, ACLSHMEM_SIGNAL_SET, right_);
    aclshmem_signal_wait_until(Flag(kReady), ACLSHMEM_CMP_GE, sequence_);
    aclshmemx_mte_get_nbi(output_ + at, Slot(), Buffer(), kCopyBytes, count, me_, EVENT_ID0);
    aclshmem_quiet();  // it is read before the slot is given back
    aclshmemx_signal_op(Flag(kAck), sequence_, ACLSHMEM_SIGNAL_SET, left_);
  }

  __aicore__ inline __ubuf__ T* Buffer() { return reinterpret_cast<__ubuf__ T*>(uint64_t(0)); }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area) {
    return reinterpret_cast<__gm__ int32_t*>(gva_ + area + block_ * kFlagBytes);
  }
  __aicore__ inline __gm__ T* Slot() { return reinterpret_cast<__gm__ T*>(gva_ + kSlots + block_ * kPieceBytes); }

  __gm__ T* input_;
  __gm__ T* output_;
  GM_ADDR gva_;
  int64_t elements_;
  int32_t sequence_;
  int32_t me_;
  int32_t left_;
  int32_t right_;
  int32_t block_;
  int32_t blocks_;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemRingShift(uint64_t ffts, GM_ADDR input, GM_ADDR output,
                                                                        GM_ADDR gva, int64_t elements, int32_t magic) {
  util_set_ffts_config(ffts);
  RingShift<T>(input, output, gva, elements, magic).Run();
}

// The type that device code uses for a host type.
template <class T>
struct DeviceType {
  using Type = T;
};
template <>
struct DeviceType<op::fp16_t> {
  using Type = half;
};

}  // namespace

namespace ShmemKernel {

template <class T>
void aclshmem_ring_shift(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output, uint8_t* gva,
                         int64_t elements, int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemRingShift<Device><<<block_dim, nullptr, stream>>>(fftsAddr, input, output, gva, elements, magic);
}

template void aclshmem_ring_shift<int8_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_ring_shift<op::fp16_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_ring_shift<float>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);

}  // namespace ShmemKernel
