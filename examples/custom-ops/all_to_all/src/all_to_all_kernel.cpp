// All-to-all with uneven splits over symmetric memory: docs/design.md, section 3.

#include "all_to_all_kernel.h"

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 16;
constexpr int32_t kMaxBlocks = 8;
constexpr int64_t kFlagBytes = 64;          // one flag per cache line
constexpr int64_t kPieceBytes = 32 * 1024;  // one step of one block to one PE
constexpr int32_t kRoundsPerCall = 1024;
constexpr uint32_t kCopyBytes = 32 * 1024;  // unified buffer used by one transfer

// The symmetric state. Every area has a flag or an inbox per (PE, block), so that each word has one writer.
constexpr int32_t kPairs = kMaxPes * kMaxBlocks;
constexpr int64_t kReady = 0;                                         // [source PE][block]
constexpr int64_t kAck = kReady + kPairs * kFlagBytes;                // [reader PE][block]
constexpr int64_t kUsed = kAck + kPairs * kFlagBytes;                 // [reader PE][block][2], local
constexpr int64_t kInbox = kUsed + int64_t{kPairs} * 2 * kFlagBytes;  // [source PE][block][2]

// The rows that go from one PE to another: where they begin in the sender's input or the receiver's output.
struct Message {
  int64_t begin = 0;
  int64_t rows = 0;
};

// What the table says for this PE. Every PE reads the whole table, so all agree on whether it can be followed.
class Routing {
 public:
  __aicore__ inline Routing(__gm__ int64_t* splits, int32_t me, int32_t pes, int64_t rows) {
    AscendC::GlobalTensor<int64_t> table;
    table.SetGlobalBuffer(splits, static_cast<uint64_t>(pes) * pes);
    int64_t received = 0;
    for (int32_t source = 0; source < pes; ++source) {
      int64_t sent = 0;
      for (int32_t target = 0; target < pes; ++target) {
        const int64_t count = table.GetValue(static_cast<uint64_t>(source) * pes + target);
        valid_ = valid_ && count >= 0 && count <= rows - sent;
        if (!valid_) {
          return;
        }
        if (source == me) {
          to_[target] = {sent, count};
        }
        if (target == me) {
          from_[source] = {received, count};
          received += count;
        }
        sent += count;
        longest_ = count > longest_ ? count : longest_;
      }
    }
  }

  __aicore__ inline bool Valid() const { return valid_; }
  __aicore__ inline int64_t Longest() const { return longest_; }  // of all messages between any two PEs
  __aicore__ inline const Message& To(int32_t pe) const { return to_[pe]; }
  __aicore__ inline const Message& From(int32_t pe) const { return from_[pe]; }

 private:
  bool valid_ = true;
  int64_t longest_ = 0;
  Message to_[kMaxPes];
  Message from_[kMaxPes];
};

// A block's part of one message in one round.
struct Piece {
  int64_t at;
  int64_t count;  // elements; 0 when the message has ended
};

template <class T>
class AllToAll {
 public:
  __aicore__ inline AllToAll(GM_ADDR input, GM_ADDR splits, GM_ADDR output, GM_ADDR gva, int64_t rows, int64_t cols,
                             int32_t magic)
      : input_(reinterpret_cast<__gm__ T*>(input)),
        output_(reinterpret_cast<__gm__ T*>(output)),
        gva_(gva),
        cols_(cols),
        magic_(magic),
        me_(aclshmem_my_pe()),
        pes_(aclshmem_n_pes()),
        block_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        blocks_(static_cast<int32_t>(AscendC::GetBlockNum())),
        routing_(reinterpret_cast<__gm__ int64_t*>(splits), me_, pes_, rows) {}

  __aicore__ inline void Run() {
    if (!routing_.Valid()) {
      return;
    }
    const int64_t rounds = (Share(routing_.Longest()) + kPiece - 1) / kPiece;
    for (int32_t round = 0; round < rounds; ++round) {
      Exchange(round);
    }
  }

 private:
  static constexpr int64_t kPiece = kPieceBytes / sizeof(T);

  // The elements of a message of `rows` rows that one block moves; ranges start on 32 bytes.
  __aicore__ inline int64_t Share(int64_t rows) const {
    constexpr int64_t kLine = 32 / sizeof(T);
    return ((rows * cols_ + blocks_ - 1) / blocks_ + kLine - 1) / kLine * kLine;
  }

  __aicore__ inline Piece PieceOf(const Message& message, int32_t round) const {
    const int64_t elements = message.rows * cols_;
    const int64_t share = Share(message.rows);
    const int64_t begin = share * block_ + round * kPiece;
    int64_t end = share * (block_ + 1);
    end = end < elements ? end : elements;
    end = end < begin + kPiece ? end : begin + kPiece;
    return {message.begin * cols_ + begin, end > begin ? end - begin : 0};
  }

  // One piece to every PE that gets one, one from every PE that sends one. Both sides read the same table, so nobody
  // waits for a piece that does not come.
  __aicore__ inline void Exchange(int32_t round) {
    const int32_t sequence = magic_ + round;
    const int32_t parity = (magic_ / kRoundsPerCall + round) & 1;
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      const Piece piece = PieceOf(routing_.To(peer), round);
      if (piece.count > 0) {
        Reserve(peer, parity, sequence);
        Put(Inbox(me_, parity), input_ + piece.at, piece.count, peer);
      }
    }
    aclshmem_quiet();  // the pieces are complete before anyone hears of them
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      if (PieceOf(routing_.To(peer), round).count > 0) {
        Signal(Flag(kReady, me_), sequence, peer);
      }
    }
    Receive(round, sequence, parity);
  }

  __aicore__ inline void Receive(int32_t round, int32_t sequence, int32_t parity) {
    for (int32_t step = 0; step < pes_; ++step) {
      const int32_t peer = (me_ + step) % pes_;
      const Piece piece = PieceOf(routing_.From(peer), round);
      if (piece.count > 0) {
        aclshmem_signal_wait_until(Flag(kReady, peer), ACLSHMEM_CMP_GE, sequence);
        Fetch(output_ + piece.at, Inbox(peer, parity), piece.count, me_);
      }
    }
    aclshmem_quiet();  // everything is read before the inboxes are given back
    for (int32_t peer = 0; peer < pes_; ++peer) {
      if (PieceOf(routing_.From(peer), round).count > 0) {
        Signal(Flag(kAck, me_), sequence, peer);
      }
    }
  }

  // Waits until `peer` has read the last use of this inbox and notes the new one.
  __aicore__ inline void Reserve(int32_t peer, int32_t parity, int32_t sequence) {
    __gm__ int32_t* used = Word(kUsed, (peer * kMaxBlocks + block_) * 2 + parity);
    aclshmem_signal_wait_until(Flag(kAck, peer), ACLSHMEM_CMP_GE, aclshmem_int32_g(used, me_));
    aclshmem_int32_p(used, sequence, me_);
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
  __aicore__ inline __gm__ int32_t* Word(int64_t area, int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(gva_ + area + index * kFlagBytes);
  }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area, int32_t pe) { return Word(area, pe * kMaxBlocks + block_); }
  __aicore__ inline __gm__ T* Inbox(int32_t source, int32_t parity) {
    return reinterpret_cast<__gm__ T*>(gva_ + kInbox + ((source * kMaxBlocks + block_) * 2 + parity) * kPieceBytes);
  }

  __gm__ T* input_;
  __gm__ T* output_;
  GM_ADDR gva_;
  int64_t cols_;
  int32_t magic_;
  int32_t me_;
  int32_t pes_;
  int32_t block_;
  int32_t blocks_;
  Routing routing_;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemAllToAll(uint64_t ffts, GM_ADDR input, GM_ADDR splits,
                                                                       GM_ADDR output, GM_ADDR gva, int64_t rows,
                                                                       int64_t cols, int32_t magic) {
  util_set_ffts_config(ffts);
  AllToAll<T>(input, splits, output, gva, rows, cols, magic).Run();
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
void aclshmem_all_to_all(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, int64_t* splits,
                         uint8_t* output, uint8_t* gva, int64_t rows, int64_t cols, int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemAllToAll<Device><<<block_dim, nullptr, stream>>>(fftsAddr, input, reinterpret_cast<GM_ADDR>(splits), output, gva,
                                                        rows, cols, magic);
}

#define INSTANTIATE(T)                                                                                             \
  template void aclshmem_all_to_all<T>(uint32_t, void*, uint64_t, uint8_t*, int64_t*, uint8_t*, uint8_t*, int64_t, \
                                       int64_t, int32_t)
INSTANTIATE(int8_t);
INSTANTIATE(int32_t);
INSTANTIATE(op::fp16_t);
INSTANTIATE(op::bfloat16);
INSTANTIATE(float);
#undef INSTANTIATE

}  // namespace ShmemKernel
