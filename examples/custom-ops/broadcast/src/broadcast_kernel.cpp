// Broadcast over symmetric memory: docs/design.md, section 3.

#include "broadcast_kernel.h"

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 16;
constexpr int32_t kMaxBlocks = 16;
constexpr int64_t kFlagBytes = 64;           // one flag per cache line
constexpr int64_t kPieceBytes = 128 * 1024;  // one step of one block
constexpr int32_t kRoundsPerCall = 256;
constexpr uint32_t kCopyBytes = 64 * 1024;  // unified buffer used by one transfer

// The symmetric state. Every flag is a word of its own for each (PE, block), so that each word has one writer.
constexpr int64_t kReady = 0;                                             // [root PE][block]
constexpr int64_t kAck = kReady + kMaxPes * kMaxBlocks * kFlagBytes;      // [reader PE][block]
constexpr int64_t kUsed = kAck + kMaxPes * kMaxBlocks * kFlagBytes;       // [block][2], local
constexpr int64_t kSlots = kUsed + int64_t{kMaxBlocks} * 2 * kFlagBytes;  // [block][2]

template <class T>
class Broadcast {
 public:
  __aicore__ inline Broadcast(GM_ADDR input, GM_ADDR output, GM_ADDR gva, int64_t elements, int32_t root, int32_t magic)
      : input_(reinterpret_cast<__gm__ T*>(input)),
        output_(reinterpret_cast<__gm__ T*>(output)),
        gva_(gva),
        elements_(elements),
        root_(root),
        magic_(magic),
        me_(aclshmem_my_pe()),
        pes_(aclshmem_n_pes()),
        block_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        blocks_(static_cast<int32_t>(AscendC::GetBlockNum())) {}

  __aicore__ inline void Run() {
    constexpr int64_t kLine = 32 / sizeof(T);  // ranges start on 32 bytes
    const int64_t share = ((elements_ + blocks_ - 1) / blocks_ + kLine - 1) / kLine * kLine;
    const int64_t begin = share * block_;
    const int64_t end = begin + share < elements_ ? begin + share : elements_;
    constexpr int64_t kPiece = kPieceBytes / sizeof(T);
    int32_t round = 0;
    for (int64_t at = begin; at < end; at += kPiece) {
      const int64_t count = at + kPiece < end ? kPiece : end - at;
      if (me_ == root_) {
        ShowPiece(at, count, round);
      } else {
        TakePiece(at, count, round);
      }
      ++round;
    }
  }

 private:
  // Sequences grow over all calls and roots; a slot of this PE is written only in calls in which it is the root.
  __aicore__ inline int32_t Sequence(int32_t round) { return magic_ + round; }
  __aicore__ inline int32_t Parity(int32_t round) { return (magic_ / kRoundsPerCall + round) & 1; }

  // The root: shows `count` elements from `at` to all others and keeps a copy.
  __aicore__ inline void ShowPiece(int64_t at, int64_t count, int32_t round) {
    const int32_t sequence = Sequence(round);
    __gm__ int32_t* used = Flag(kUsed, block_ * 2 + Parity(round));
    const int32_t last = aclshmem_int32_g(used, me_);
    for (int32_t peer = 0; peer < pes_; ++peer) {
      if (peer != me_) {
        aclshmem_signal_wait_until(Flag(kAck, peer * kMaxBlocks + block_), ACLSHMEM_CMP_GE, last);
      }
    }
    aclshmem_int32_p(used, sequence, me_);
    __gm__ T* slot = Slot(Parity(round));
    Put(slot, input_ + at, count, me_);
    aclshmem_quiet();  // the piece is complete before anyone hears of it
    for (int32_t step = 1; step < pes_; ++step) {
      Signal(Flag(kReady, me_ * kMaxBlocks + block_), sequence, (me_ + step) % pes_);
    }
    Fetch(output_ + at, slot, count, me_);
    aclshmem_quiet();  // the slot is read before it is written again
  }

  // Any other PE: fetches a piece from the root and gives its slot back.
  __aicore__ inline void TakePiece(int64_t at, int64_t count, int32_t round) {
    const int32_t sequence = Sequence(round);
    aclshmem_signal_wait_until(Flag(kReady, root_ * kMaxBlocks + block_), ACLSHMEM_CMP_GE, sequence);
    Fetch(output_ + at, Slot(Parity(round)), count, root_);
    aclshmem_quiet();
    Signal(Flag(kAck, me_ * kMaxBlocks + block_), sequence, root_);
  }

  // Both copies leave the buffer to the next one only after their last store has left it (MTE3 before MTE2).
  __aicore__ inline void Put(__gm__ T* destination, __gm__ T* source, int64_t count, int32_t pe) {
    aclshmemx_mte_put_nbi(destination, source, Buffer(), kCopyBytes, static_cast<uint32_t>(count), pe, EVENT_ID0);
    ReleaseBuffer();
  }

  __aicore__ inline void Fetch(__gm__ T* destination, __gm__ T* source, int64_t count, int32_t pe) {
    aclshmemx_mte_get_nbi(destination, source, Buffer(), kCopyBytes, static_cast<uint32_t>(count), pe, EVENT_ID0);
    ReleaseBuffer();
  }

  __aicore__ inline void ReleaseBuffer() {
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

  __aicore__ inline void Signal(__gm__ int32_t* flag, int32_t value, int32_t pe) {
    aclshmemx_signal_op(flag, value, ACLSHMEM_SIGNAL_SET, pe);
  }

  __aicore__ inline __ubuf__ T* Buffer() { return reinterpret_cast<__ubuf__ T*>(uint64_t(0)); }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area, int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(gva_ + area + index * kFlagBytes);
  }
  __aicore__ inline __gm__ T* Slot(int32_t parity) {
    return reinterpret_cast<__gm__ T*>(gva_ + kSlots + (block_ * 2 + parity) * kPieceBytes);
  }

  __gm__ T* input_;
  __gm__ T* output_;
  GM_ADDR gva_;
  int64_t elements_;
  int32_t root_;
  int32_t magic_;
  int32_t me_;
  int32_t pes_;
  int32_t block_;
  int32_t blocks_;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemBroadcast(uint64_t ffts, GM_ADDR input, GM_ADDR output,
                                                                        GM_ADDR gva, int64_t elements, int32_t root,
                                                                        int32_t magic) {
  util_set_ffts_config(ffts);
  Broadcast<T>(input, output, gva, elements, root, magic).Run();
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
template <>
struct DeviceType<op::bfloat16> {
  using Type = bfloat16_t;
};

}  // namespace

namespace ShmemKernel {

template <class T>
void aclshmem_broadcast(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                        uint8_t* gva, int64_t elements, int32_t root, int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemBroadcast<Device><<<block_dim, nullptr, stream>>>(fftsAddr, input, output, gva, elements, root, magic);
}

#define INSTANTIATE(T)                                                                                      \
  template void aclshmem_broadcast<T>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t, \
                                      int32_t)
INSTANTIATE(int8_t);
INSTANTIATE(int32_t);
INSTANTIATE(op::fp16_t);
INSTANTIATE(op::bfloat16);
INSTANTIATE(float);
INSTANTIATE(uint8_t);  // fp8
#undef INSTANTIATE

}  // namespace ShmemKernel
