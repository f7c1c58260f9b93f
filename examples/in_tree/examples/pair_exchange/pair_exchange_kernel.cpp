#include "pair_exchange_kernel.h"

#include "kernel_operator.h"
#include "shmem.h"

namespace {

constexpr int64_t kFlagBytes = 64;  // one flag per cache line
constexpr int64_t kPieceBytes = 64 * 1024;
constexpr uint32_t kCopyBytes = 64 * 1024;  // unified buffer used by one transfer

// One block: pieces go through one slot on the partner, which is written again only after the partner has read it.
class PairExchange {
 public:
  __aicore__ inline PairExchange(GM_ADDR input, GM_ADDR output, GM_ADDR state, int64_t bytes, int32_t magic)
      : input_(reinterpret_cast<__gm__ int8_t*>(input)),
        output_(reinterpret_cast<__gm__ int8_t*>(output)),
        state_(state),
        bytes_(bytes),
        magic_(magic),
        me_(aclshmem_my_pe()),
        partner_((me_ ^ 1) < aclshmem_n_pes() ? me_ ^ 1 : me_) {}

  __aicore__ inline void Run() {
    int32_t sequence = magic_;
    for (int64_t at = 0; at < bytes_; at += kPieceBytes) {
      const int64_t left = bytes_ - at;
      ExchangePiece(at, static_cast<uint32_t>(left < kPieceBytes ? left : kPieceBytes), sequence++);
    }
  }

 private:
  __aicore__ inline void ExchangePiece(int64_t at, uint32_t bytes, int32_t sequence) {
    __gm__ int32_t* ready = Flag(0);
    __gm__ int32_t* read = Flag(1);
    __gm__ int32_t* used = Flag(2);
    aclshmem_signal_wait_until(read, ACLSHMEM_CMP_GE, aclshmem_int32_g(used, me_));
    aclshmem_int32_p(used, sequence, me_);
    aclshmemx_mte_put_nbi(Slot(), input_ + at, Buffer(), kCopyBytes, bytes, partner_, EVENT_ID0);
    aclshmem_quiet();  // the piece is complete before the partner hears of it
    aclshmemx_signal_op(ready, sequence, ACLSHMEM_SIGNAL_SET, partner_);
    aclshmem_signal_wait_until(ready, ACLSHMEM_CMP_GE, sequence);
    aclshmemx_mte_get_nbi(output_ + at, Slot(), Buffer(), kCopyBytes, bytes, me_, EVENT_ID0);
    aclshmem_quiet();  // it is read before the slot is given back
    aclshmemx_signal_op(read, sequence, ACLSHMEM_SIGNAL_SET, partner_);
  }

  __aicore__ inline __gm__ int32_t* Flag(int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(state_ + index * kFlagBytes);
  }
  __aicore__ inline __gm__ int8_t* Slot() { return reinterpret_cast<__gm__ int8_t*>(state_ + 3 * kFlagBytes); }
  __aicore__ inline __ubuf__ int8_t* Buffer() { return reinterpret_cast<__ubuf__ int8_t*>(uint64_t(0)); }

  __gm__ int8_t* input_;
  __gm__ int8_t* output_;
  GM_ADDR state_;
  int64_t bytes_;
  int32_t magic_;
  int32_t me_;
  int32_t partner_;
};

[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemPairExchange(uint64_t ffts, GM_ADDR input, GM_ADDR output,
                                                                           GM_ADDR state, int64_t bytes, int32_t magic) {
  util_set_ffts_config(ffts);
  PairExchange(input, output, state, bytes, magic).Run();
}

}  // namespace

namespace ShmemKernel {

void aclshmem_pair_exchange(void* stream, uint64_t ffts, uint8_t* input, uint8_t* output, uint8_t* state, int64_t bytes,
                            int32_t magic) {
  ShmemPairExchange<<<1, nullptr, stream>>>(ffts, input, output, state, bytes, magic);
}

}  // namespace ShmemKernel
