// KVShuffle over symmetric memory: docs/design.md, section 3.

#include "kv_shuffle_kernel.h"

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 8;
constexpr int32_t kMaxCores = 16;
constexpr int64_t kFlagBytes = 64;          // one flag per cache line
constexpr int64_t kPieceBytes = 64 * 1024;  // one step of one core
constexpr int32_t kRoundsPerCall = 256;
constexpr uint32_t kCopyBytes = 64 * 1024;  // unified buffer used by one transfer

// global_shuffle_table [n_pes, 2]: who a PE is paired with, and what it does.
constexpr int64_t kSends = 0;
constexpr int64_t kReceives = 1;

// The symmetric state. Every flag has one writer.
constexpr int64_t kReady = 0;                                               // [source PE][core]
constexpr int64_t kAck = kReady + kMaxPes * kMaxCores * kFlagBytes;         // [reader PE][core]
constexpr int64_t kUsed = kAck + kMaxPes * kMaxCores * kFlagBytes;          // [core][2], local: sequence, reader
constexpr int64_t kSlots = kUsed + kMaxCores * 2 * kFlagBytes;              // [core][2]

// Addresses and sizes of one call.
struct Operands {
  GM_ADDR k_cache;
  GM_ADDR v_cache;
  GM_ADDR routes;
  GM_ADDR src_blocks;
  GM_ADDR dst_blocks;
  GM_ADDR gva;
  int64_t blocks;
  int64_t block_elements;
  int64_t moves;
  int32_t magic;
};

// All moved values in one row: [move][k, v][element]. Core c owns the same range of it on sender and receiver.
template <class T>
class KVShuffle {
 public:
  __aicore__ inline explicit KVShuffle(const Operands& operands)
      : operands_(operands),
        me_(aclshmem_my_pe()),
        pes_(aclshmem_n_pes()),
        core_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        cores_(static_cast<int32_t>(AscendC::GetBlockNum())) {}

  __aicore__ inline void Run() {
    if (!FindPeer()) {
      return;
    }
    constexpr int64_t kLine = 32 / sizeof(T);  // ranges start on 32 bytes
    constexpr int64_t kPiece = kPieceBytes / sizeof(T);
    const int64_t total = operands_.moves * 2 * operands_.block_elements;
    const int64_t share = ((total + cores_ - 1) / cores_ + kLine - 1) / kLine * kLine;
    const int64_t begin = share * core_;
    const int64_t end = begin + share < total ? begin + share : total;
    int32_t round = 0;
    for (int64_t at = begin; at < end; at += kPiece) {
      const int64_t piece_end = at + kPiece < end ? at + kPiece : end;
      if (sends_) {
        SendPiece(at, piece_end, round);
      } else {
        ReceivePiece(at, piece_end, round);
      }
      ++round;
    }
  }

 private:
  // Both PEs of a pair read the same table, so either both take part or none does.
  __aicore__ inline bool FindPeer() {
    const int64_t peer = Entry(operands_.routes, me_ * 2);
    if (peer < 0 || peer >= pes_ || peer == me_ || Entry(operands_.routes, peer * 2) != me_) {
      return false;
    }
    const int64_t mine = Entry(operands_.routes, me_ * 2 + 1);
    const int64_t other = Entry(operands_.routes, peer * 2 + 1);
    peer_ = static_cast<int32_t>(peer);
    sends_ = mine == kSends;
    return (mine == kSends && other == kReceives) || (mine == kReceives && other == kSends);
  }

  // Stages the piece in an own slot, which the peer reads.
  __aicore__ inline void SendPiece(int64_t begin, int64_t end, int32_t round) {
    const int32_t sequence = operands_.magic + round;
    Reserve(Parity(round), sequence);
    __gm__ T* slot = Slot(Parity(round));
    for (int64_t at = begin; at < end;) {
      const int64_t count = SegmentEnd(at, end) - at;
      __gm__ T* source = Place(at, operands_.src_blocks);
      if (source != nullptr) {
        aclshmemx_mte_put_nbi(slot + (at - begin), source, Buffer(), kCopyBytes, static_cast<uint32_t>(count), me_,
                              EVENT_ID0);
        ReleaseBuffer();
      }
      at += count;
    }
    aclshmem_quiet();  // the piece is complete before the peer hears of it
    aclshmemx_signal_op(Flag(kReady, me_ * kMaxCores + core_), sequence, ACLSHMEM_SIGNAL_SET, peer_);
  }

  __aicore__ inline void ReceivePiece(int64_t begin, int64_t end, int32_t round) {
    const int32_t sequence = operands_.magic + round;
    __gm__ T* slot = Slot(Parity(round));
    aclshmem_signal_wait_until(Flag(kReady, peer_ * kMaxCores + core_), ACLSHMEM_CMP_GE, sequence);
    for (int64_t at = begin; at < end;) {
      const int64_t count = SegmentEnd(at, end) - at;
      __gm__ T* destination = Place(at, operands_.dst_blocks);
      if (destination != nullptr) {
        aclshmemx_mte_get_nbi(destination, slot + (at - begin), Buffer(), kCopyBytes, static_cast<uint32_t>(count),
                              peer_, EVENT_ID0);
        ReleaseBuffer();
      }
      at += count;
    }
    aclshmem_quiet();  // everything is read before the slot is given back
    aclshmemx_signal_op(Flag(kAck, me_ * kMaxCores + core_), sequence, ACLSHMEM_SIGNAL_SET, peer_);
  }

  // Where the block that holds `at` ends, or `end`.
  __aicore__ inline int64_t SegmentEnd(int64_t at, int64_t end) const {
    const int64_t block_end = (at / operands_.block_elements + 1) * operands_.block_elements;
    return block_end < end ? block_end : end;
  }

  // The value `at` in the cache, by a table of block numbers; null when the table's entry is no block.
  __aicore__ inline __gm__ T* Place(int64_t at, GM_ADDR table) const {
    const int64_t segment = at / operands_.block_elements;
    const int64_t block = Entry(table, segment / 2);
    if (block < 0 || block >= operands_.blocks) {
      return nullptr;
    }
    GM_ADDR cache = segment % 2 == 0 ? operands_.k_cache : operands_.v_cache;
    return reinterpret_cast<__gm__ T*>(cache) + block * operands_.block_elements + at % operands_.block_elements;
  }

  __aicore__ inline int64_t Entry(GM_ADDR table, int64_t index) const {
    AscendC::GlobalTensor<int64_t> entries;
    entries.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(table));
    return entries.GetValue(index);
  }

  // Waits until the last reader of a slot has acknowledged what was in it, and notes the new reader. Pairs change from
  // call to call, so the reader is kept beside the sequence number.
  __aicore__ inline void Reserve(int32_t parity, int32_t sequence) {
    __gm__ int32_t* used = Flag(kUsed, core_ * 2 + parity);
    const int32_t last = aclshmem_int32_g(used, me_);
    const int32_t reader = aclshmem_int32_g(used + 1, me_);
    aclshmem_signal_wait_until(Flag(kAck, reader * kMaxCores + core_), ACLSHMEM_CMP_GE, last);
    aclshmem_int32_p(used, sequence, me_);
    aclshmem_int32_p(used + 1, peer_, me_);
  }

  // Leaves the buffer to the next transfer only after the last store has left it (MTE3 before MTE2).
  __aicore__ inline void ReleaseBuffer() {
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

  __aicore__ inline int32_t Parity(int32_t round) const { return (operands_.magic / kRoundsPerCall + round) & 1; }
  __aicore__ inline __ubuf__ T* Buffer() { return reinterpret_cast<__ubuf__ T*>(uint64_t(0)); }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area, int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(operands_.gva + area + index * kFlagBytes);
  }
  __aicore__ inline __gm__ T* Slot(int32_t parity) {
    return reinterpret_cast<__gm__ T*>(operands_.gva + kSlots + (core_ * 2 + parity) * kPieceBytes);
  }

  Operands operands_;
  int32_t me_;
  int32_t pes_;
  int32_t core_;
  int32_t cores_;
  int32_t peer_ = 0;
  bool sends_ = false;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemKVShuffle(uint64_t ffts, GM_ADDR k_cache, GM_ADDR v_cache,
                                                                        GM_ADDR routes, GM_ADDR src_blocks,
                                                                        GM_ADDR dst_blocks, GM_ADDR gva, int64_t blocks,
                                                                        int64_t block_elements, int64_t moves,
                                                                        int32_t magic) {
  util_set_ffts_config(ffts);
  const Operands operands = {k_cache, v_cache, routes, src_blocks, dst_blocks, gva, blocks, block_elements, moves, magic};
  KVShuffle<T>(operands).Run();
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
void aclshmem_kv_shuffle(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* k_cache, uint8_t* v_cache,
                         uint8_t* global_shuffle_table, uint8_t* src_block_table, uint8_t* dst_block_table, uint8_t* gva,
                         int64_t blocks, int64_t block_elements, int64_t moves, int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemKVShuffle<Device><<<block_dim, nullptr, stream>>>(fftsAddr, k_cache, v_cache, global_shuffle_table,
                                                         src_block_table, dst_block_table, gva, blocks, block_elements,
                                                         moves, magic);
}

template void aclshmem_kv_shuffle<int8_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*,
                                          uint8_t*, int64_t, int64_t, int64_t, int32_t);
template void aclshmem_kv_shuffle<op::fp16_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*,
                                              uint8_t*, int64_t, int64_t, int64_t, int32_t);
template void aclshmem_kv_shuffle<op::bfloat16>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, uint8_t*,
                                                uint8_t*, uint8_t*, int64_t, int64_t, int64_t, int32_t);
template void aclshmem_kv_shuffle<float>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, uint8_t*, uint8_t*,
                                         uint8_t*, int64_t, int64_t, int64_t, int32_t);

}  // namespace ShmemKernel
