// AllGather over symmetric memory: docs/design.md, section 3.

#include "all_gather_kernel.h"

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 16;
constexpr int32_t kMaxBlocks = 16;
constexpr int64_t kFlagBytes = 64;           // one flag per cache line
constexpr int64_t kInboxBytes = 32 * 1024;   // small path: largest input
constexpr int64_t kPieceBytes = 128 * 1024;  // large path: one step of one block
constexpr int32_t kRoundsPerCall = 256;
constexpr uint32_t kCopyBytes = 64 * 1024;  // unified buffer used by one transfer

// The symmetric state. Every area has a flag or a slot per (PE or block), so that each word has one writer.
constexpr int64_t kLargeReady = 0;                                                    // [source PE][block]
constexpr int64_t kLargeAck = kLargeReady + kMaxPes * kMaxBlocks * kFlagBytes;        // [reader PE][block]
constexpr int64_t kLargeUsed = kLargeAck + kMaxPes * kMaxBlocks * kFlagBytes;         // [block][2], local
constexpr int64_t kSmallReady = kLargeUsed + kMaxBlocks * 2 * kFlagBytes;             // [source PE]
constexpr int64_t kSmallAck = kSmallReady + kMaxPes * kFlagBytes;                     // [reader PE]
constexpr int64_t kSmallUsed = kSmallAck + kMaxPes * kFlagBytes;                      // [peer][2], local
constexpr int64_t kInbox = kSmallUsed + kMaxPes * 2 * kFlagBytes;                     // [source PE][2]
constexpr int64_t kSlots = kInbox + kMaxPes * 2 * kInboxBytes;                        // [block][2]

template <class T>
class AllGather {
 public:
  __aicore__ inline AllGather(GM_ADDR input, GM_ADDR output, GM_ADDR gva, int64_t elements, int32_t magic)
      : input_(reinterpret_cast<__gm__ T*>(input)),
        output_(reinterpret_cast<__gm__ T*>(output)),
        gva_(gva),
        elements_(elements),
        magic_(magic),
        me_(aclshmem_my_pe()),
        pes_(aclshmem_n_pes()),
        block_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        blocks_(static_cast<int32_t>(AscendC::GetBlockNum())) {}

  __aicore__ inline void Run() {
    if (elements_ * static_cast<int64_t>(sizeof(T)) <= kInboxBytes) {
      RunSmall();
    } else {
      RunLarge();
    }
  }

 private:
  __aicore__ inline void RunSmall() {
    const int32_t parity = (magic_ / kRoundsPerCall) & 1;
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      if (peer % blocks_ == block_) {
        SendSmall(peer, parity);
      }
    }
    aclshmem_quiet();
    SignalMyPeers(Flag(kSmallReady, me_));
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      if (peer % blocks_ == block_) {
        aclshmem_signal_wait_until(Flag(kSmallReady, peer), ACLSHMEM_CMP_GE, magic_);
        Fetch(output_ + peer * elements_, Inbox(peer, parity), elements_, me_);
      }
    }
    aclshmem_quiet();  // prove: equivalent, the next call quiets before it signals, and nobody needs the acknowledgement earlier
    SignalMyPeers(Flag(kSmallAck, me_));  // prove: equivalent, every call waits for all PEs, and the inbox of this one is used again in the next but one
  }

  __aicore__ inline void SendSmall(int32_t peer, int32_t parity) {
    Reserve(Flag(kSmallUsed, peer * 2 + parity), Flag(kSmallAck, peer), magic_);
    Put(Inbox(me_, parity), input_, elements_, peer);
  }

  __aicore__ inline void RunLarge() {
    constexpr int64_t kLine = 32 / sizeof(T);  // ranges start on 32 bytes
    const int64_t share = ((elements_ + blocks_ - 1) / blocks_ + kLine - 1) / kLine * kLine;
    const int64_t begin = share * block_;
    const int64_t end = begin + share < elements_ ? begin + share : elements_;
    constexpr int64_t kPiece = kPieceBytes / sizeof(T);
    int32_t round = 0;
    for (int64_t at = begin; at < end; at += kPiece) {
      ExchangePiece(at, at + kPiece < end ? kPiece : end - at, round++);
    }
  }

  // Shows `count` elements from `at` to all peers and fetches theirs.
  __aicore__ inline void ExchangePiece(int64_t at, int64_t count, int32_t round) {
    const int32_t sequence = magic_ + round;
    const int32_t parity = (magic_ / kRoundsPerCall + round) & 1;
    __gm__ int32_t* used = Flag(kLargeUsed, block_ * 2 + parity);
    const int32_t last = aclshmem_int32_g(used, me_);
    for (int32_t peer = 0; peer < pes_; ++peer) {
      aclshmem_signal_wait_until(Flag(kLargeAck, peer * kMaxBlocks + block_), ACLSHMEM_CMP_GE, last);
    }
    aclshmem_int32_p(used, sequence, me_);
    __gm__ T* slot = Slot(parity);
    Put(slot, input_ + at, count, me_);
    aclshmem_quiet();  // the piece is complete before anyone hears of it
    for (int32_t peer = 0; peer < pes_; ++peer) {
      Signal(Flag(kLargeReady, me_ * kMaxBlocks + block_), sequence, peer);
    }
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      aclshmem_signal_wait_until(Flag(kLargeReady, peer * kMaxBlocks + block_), ACLSHMEM_CMP_GE, sequence);
      Fetch(output_ + peer * elements_ + at, slot, count, peer);
    }
    aclshmem_quiet();  // everything is read before the slots are given back
    for (int32_t peer = 0; peer < pes_; ++peer) {
      Signal(Flag(kLargeAck, me_ * kMaxBlocks + block_), sequence, peer);
    }
  }

  // Waits until `ack` covers the last use of a slot and notes the new one.
  __aicore__ inline void Reserve(__gm__ int32_t* used, __gm__ int32_t* ack, int32_t sequence) {
    aclshmem_signal_wait_until(ack, ACLSHMEM_CMP_GE, aclshmem_int32_g(used, me_));  // prove: equivalent, every call waits for all PEs, and the inbox of this one is used again in the next but one
    aclshmem_int32_p(used, sequence, me_);
  }

  // Both copies leave the buffer to the next one only after their last store has left it (MTE3 before MTE2).
  __aicore__ inline void Put(__gm__ T* destination, __gm__ T* source, int64_t count, int32_t pe) {
    if (count > 0) {
      aclshmemx_mte_put_nbi(destination, source, Buffer(), kCopyBytes, static_cast<uint32_t>(count), pe, EVENT_ID0);
      ReleaseBuffer();
    }
  }

  __aicore__ inline void Fetch(__gm__ T* destination, __gm__ T* source, int64_t count, int32_t pe) {
    if (count > 0) {
      aclshmemx_mte_get_nbi(destination, source, Buffer(), kCopyBytes, static_cast<uint32_t>(count), pe, EVENT_ID0);
      ReleaseBuffer();
    }
  }

  __aicore__ inline void ReleaseBuffer() {
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

  __aicore__ inline void Signal(__gm__ int32_t* flag, int32_t value, int32_t pe) {
    aclshmemx_signal_op(flag, value, ACLSHMEM_SIGNAL_SET, pe);
  }

  __aicore__ inline void SignalMyPeers(__gm__ int32_t* flag) {
    for (int32_t peer = block_; peer < pes_; peer += blocks_) {
      Signal(flag, magic_, peer);
    }
  }

  __aicore__ inline __ubuf__ T* Buffer() { return reinterpret_cast<__ubuf__ T*>(uint64_t(0)); }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area, int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(gva_ + area + index * kFlagBytes);
  }
  __aicore__ inline __gm__ T* Inbox(int32_t source, int32_t parity) {
    return reinterpret_cast<__gm__ T*>(gva_ + kInbox + (source * 2 + parity) * kInboxBytes);
  }
  __aicore__ inline __gm__ T* Slot(int32_t parity) {
    return reinterpret_cast<__gm__ T*>(gva_ + kSlots + (block_ * 2 + parity) * kPieceBytes);
  }

  __gm__ T* input_;
  __gm__ T* output_;
  GM_ADDR gva_;
  int64_t elements_;
  int32_t magic_;
  int32_t me_;
  int32_t pes_;
  int32_t block_;
  int32_t blocks_;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemAllGather(uint64_t ffts, GM_ADDR input, GM_ADDR output,
                                                                        GM_ADDR gva, int64_t elements, int32_t magic) {
  util_set_ffts_config(ffts);
  AllGather<T>(input, output, gva, elements, magic).Run();
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
void aclshmem_all_gather(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                         uint8_t* gva, int64_t elements, int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemAllGather<Device><<<block_dim, nullptr, stream>>>(fftsAddr, input, output, gva, elements, magic);
}

template void aclshmem_all_gather<int8_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_all_gather<int32_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_all_gather<op::fp16_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void aclshmem_all_gather<op::bfloat16>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t,
                                                int32_t);
template void aclshmem_all_gather<float>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);

}  // namespace ShmemKernel
