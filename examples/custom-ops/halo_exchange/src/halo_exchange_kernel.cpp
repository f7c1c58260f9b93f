// HaloExchange over symmetric memory: docs/design.md, section 3.

#include "halo_exchange_kernel.h"

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr int32_t kMaxPes = 16;
constexpr int32_t kDirections = 8;           // row by row: the eight neighbours of a PE in the grid
constexpr int64_t kFlagBytes = 64;           // one flag per cache line
constexpr int64_t kEdgeBytes = 128 * 1024;   // largest edge
constexpr int64_t kZeroBytes = 16 * 1024;
constexpr uint32_t kCopyBytes = 64 * 1024;   // unified buffer used by one transfer
constexpr int64_t kMostRowsAtOnce = 4095;    // of one strided transfer

// The symmetric state. Every flag has one writer.
constexpr int64_t kReady = 0;                                                // [source PE][its direction]
constexpr int64_t kAck = kReady + kMaxPes * kDirections * kFlagBytes;        // [reader PE][owner's direction]
constexpr int64_t kUsed = kAck + kMaxPes * kDirections * kFlagBytes;         // [direction][2], local: sequence, reader
constexpr int64_t kZeros = kUsed + kDirections * 2 * kFlagBytes;             // never written
constexpr int64_t kEdges = kZeros + kZeroBytes;                              // [direction][2]

// Numbers and addresses of one call.
struct Operands {
  GM_ADDR input;
  GM_ADDR output;
  GM_ADDR gva;
  int64_t rows;
  int64_t cols;
  int32_t halo;
  int32_t periodic;
  int32_t grid_cols;
  int32_t magic;
};

// A rectangle of a tile in global memory; `pitch`: elements from row to row.
template <class T>
struct Rectangle {
  __gm__ T* data;
  int64_t rows;
  int64_t cols;
  int64_t pitch;
};

template <class T>
class HaloExchange {
 public:
  __aicore__ inline explicit HaloExchange(const Operands& operands)
      : operands_(operands),
        input_(reinterpret_cast<__gm__ T*>(operands.input)),
        output_(reinterpret_cast<__gm__ T*>(operands.output)),
        magic_(operands.magic),
        me_(aclshmem_my_pe()),
        core_(static_cast<int32_t>(AscendC::GetBlockIdx())),
        cores_(static_cast<int32_t>(AscendC::GetBlockNum())) {
    const int32_t pes = aclshmem_n_pes();
    grid_cols_ = operands.grid_cols > 0 ? operands.grid_cols : SquareColumns(pes);
    grid_rows_ = pes / grid_cols_;
  }

  // Core c serves the directions d with d % cores == c, and its share of the tile's rows.
  __aicore__ inline void Run() {
    for (int32_t d = core_; d < kDirections; d += cores_) {
      Stage(d);
    }
    aclshmem_quiet();  // edges are complete before anyone hears of them
    for (int32_t d = core_; d < kDirections; d += cores_) {
      if (Neighbour(d) >= 0) {
        aclshmemx_signal_op(Flag(kReady, me_ * kDirections + d), magic_, ACLSHMEM_SIGNAL_SET, Neighbour(d));
      }
    }
    CopyInterior();
    for (int32_t d = core_; d < kDirections; d += cores_) {
      Receive(d);
    }
    aclshmem_quiet();  // everything is read before the edges are given back
    for (int32_t d = core_; d < kDirections; d += cores_) {
      if (Neighbour(d) >= 0) {
        aclshmemx_signal_op(Flag(kAck, me_ * kDirections + Opposite(d)), magic_, ACLSHMEM_SIGNAL_SET, Neighbour(d));
      }
    }
  }

 private:
  // The largest divisor that is no larger than the square root.
  __aicore__ inline static int32_t SquareColumns(int32_t pes) {
    int32_t best = 1;
    for (int32_t columns = 2; columns * columns <= pes; ++columns) {
      best = pes % columns == 0 ? columns : best;
    }
    return best;
  }

  // -1, 0 or 1: where direction d leads in the grid.
  __aicore__ inline static int32_t RowStep(int32_t d) { return (d < 4 ? d : d + 1) / 3 - 1; }
  __aicore__ inline static int32_t ColStep(int32_t d) { return (d < 4 ? d : d + 1) % 3 - 1; }
  __aicore__ inline static int32_t Opposite(int32_t d) { return kDirections - 1 - d; }

  // The PE in direction d, or -1 beyond the border.
  __aicore__ inline int32_t Neighbour(int32_t d) const {
    int32_t row = me_ / grid_cols_ + RowStep(d);
    int32_t col = me_ % grid_cols_ + ColStep(d);
    if (operands_.periodic != 0) {
      row = (row + grid_rows_) % grid_rows_;
      col = (col + grid_cols_) % grid_cols_;
    }
    const bool inside = row >= 0 && row < grid_rows_ && col >= 0 && col < grid_cols_;
    return inside ? row * grid_cols_ + col : -1;
  }

  __aicore__ inline static int64_t EdgeSize(int32_t step, int64_t size, int64_t halo) { return step == 0 ? size : halo; }

  // The part of the tile that the neighbour in direction d needs.
  __aicore__ inline Rectangle<T> InnerEdge(int32_t d) const {
    const int64_t rows = EdgeSize(RowStep(d), operands_.rows, operands_.halo);
    const int64_t cols = EdgeSize(ColStep(d), operands_.cols, operands_.halo);
    const int64_t row = RowStep(d) > 0 ? operands_.rows - operands_.halo : 0;
    const int64_t col = ColStep(d) > 0 ? operands_.cols - operands_.halo : 0;
    return {input_ + row * operands_.cols + col, rows, cols, operands_.cols};
  }

  // The part of the output that the neighbour in direction d fills.
  __aicore__ inline Rectangle<T> Halo(int32_t d) const {
    const int64_t rows = EdgeSize(RowStep(d), operands_.rows, operands_.halo);
    const int64_t cols = EdgeSize(ColStep(d), operands_.cols, operands_.halo);
    const int64_t row = RowStep(d) < 0 ? 0 : RowStep(d) == 0 ? operands_.halo : operands_.halo + operands_.rows;
    const int64_t col = ColStep(d) < 0 ? 0 : ColStep(d) == 0 ? operands_.halo : operands_.halo + operands_.cols;
    return {output_ + row * Pitch() + col, rows, cols, Pitch()};
  }

  // Packs an edge into the own slot of its direction; the neighbour reads it there.
  __aicore__ inline void Stage(int32_t d) {
    const int32_t peer = Neighbour(d);
    if (peer < 0) {
      return;
    }
    Reserve(d, peer);
    const Rectangle<T> edge = InnerEdge(d);
    Copy<true>({Edge(d), edge.rows, edge.cols, edge.cols}, edge, me_);
  }

  // My halo in direction d is the edge that the neighbour there staged for me.
  __aicore__ inline void Receive(int32_t d) {
    const Rectangle<T> to = Halo(d);
    const int32_t peer = Neighbour(d);
    if (peer < 0) {
      FillWithZeros(to);
      return;
    }
    aclshmem_signal_wait_until(Flag(kReady, peer * kDirections + Opposite(d)), ACLSHMEM_CMP_GE, magic_);
    Copy<false>(to, {Edge(Opposite(d)), to.rows, to.cols, to.cols}, peer);
  }

  __aicore__ inline void CopyInterior() {
    const int64_t share = (operands_.rows + cores_ - 1) / cores_;
    const int64_t begin = share * core_;
    const int64_t end = begin + share < operands_.rows ? begin + share : operands_.rows;
    if (begin < end) {
      const int64_t cols = operands_.cols;
      __gm__ T* to = output_ + (begin + operands_.halo) * Pitch() + operands_.halo;
      Copy<true>({to, end - begin, cols, Pitch()}, {input_ + begin * cols, end - begin, cols, cols}, me_);
    }
  }

  __aicore__ inline void FillWithZeros(const Rectangle<T>& to) {
    constexpr int64_t kMost = kZeroBytes / sizeof(T);
    __gm__ T* zeros = reinterpret_cast<__gm__ T*>(operands_.gva + kZeros);
    for (int64_t col = 0; col < to.cols; col += kMost) {
      const int64_t cols = col + kMost < to.cols ? kMost : to.cols - col;
      const int64_t rows_at_once = kMost / cols;
      for (int64_t row = 0; row < to.rows; row += rows_at_once) {
        const int64_t rows = row + rows_at_once < to.rows ? rows_at_once : to.rows - row;
        Copy<true>({to.data + row * to.pitch + col, rows, cols, to.pitch}, {zeros, rows, cols, cols}, me_);
      }
    }
  }

  // Copies a rectangle into one of the same size; the destination (put) or the source (get) is that of `pe`. As many rows
  // at once as the buffer holds, each on 32 bytes of it; rows that are too long for it one by one.
  template <bool kPut>
  __aicore__ inline void Copy(const Rectangle<T>& to, const Rectangle<T>& from, int32_t pe) {
    const int64_t row_bytes = (to.cols * static_cast<int64_t>(sizeof(T)) + 31) / 32 * 32;
    if (row_bytes == 0) {
      return;
    }
    const int64_t fit = kCopyBytes / row_bytes;
    const int64_t step = fit == 0 ? 1 : fit < kMostRowsAtOnce ? fit : kMostRowsAtOnce;
    for (int64_t row = 0; row < to.rows; row += step) {
      const int64_t rows = row + step < to.rows ? step : to.rows - row;
      __gm__ T* destination = to.data + row * to.pitch;
      __gm__ T* source = from.data + row * from.pitch;
      if (fit == 0) {
        Transfer<kPut>(destination, source, static_cast<uint32_t>(to.cols), pe);
      } else {
        Transfer<kPut>(destination, source,
                       non_contiguous_copy_param{static_cast<uint32_t>(rows), static_cast<uint32_t>(to.cols),
                                                 static_cast<uint32_t>(from.pitch), static_cast<uint32_t>(to.pitch)},
                       pe);
      }
    }
  }

  // `how_much`: elements, or rows. Leaves the buffer to the next transfer only after the last store has left it.
  template <bool kPut, class HowMuch>
  __aicore__ inline void Transfer(__gm__ T* destination, __gm__ T* source, const HowMuch& how_much, int32_t pe) {
    if constexpr (kPut) {
      aclshmemx_mte_put_nbi(destination, source, Buffer(), kCopyBytes, how_much, pe, EVENT_ID0);
    } else {
      aclshmemx_mte_get_nbi(destination, source, Buffer(), kCopyBytes, how_much, pe, EVENT_ID0);
    }
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

  // Waits until the last reader of a slot has acknowledged what was in it, and notes the new reader: another grid, another
  // neighbour.
  __aicore__ inline void Reserve(int32_t direction, int32_t peer) {
    __gm__ int32_t* used = Flag(kUsed, direction * 2 + Parity());
    const int32_t last = aclshmem_int32_g(used, me_);
    const int32_t reader = aclshmem_int32_g(used + 1, me_);
    aclshmem_signal_wait_until(Flag(kAck, reader * kDirections + direction), ACLSHMEM_CMP_GE, last);
    aclshmem_int32_p(used, magic_, me_);
    aclshmem_int32_p(used + 1, peer, me_);
  }

  __aicore__ inline int64_t Pitch() const { return operands_.cols + 2 * operands_.halo; }
  __aicore__ inline int32_t Parity() const { return magic_ & 1; }
  __aicore__ inline __ubuf__ T* Buffer() { return reinterpret_cast<__ubuf__ T*>(uint64_t(0)); }
  __aicore__ inline __gm__ int32_t* Flag(int64_t area, int32_t index) {
    return reinterpret_cast<__gm__ int32_t*>(operands_.gva + area + index * kFlagBytes);
  }
  __aicore__ inline __gm__ T* Edge(int32_t direction) {
    return reinterpret_cast<__gm__ T*>(operands_.gva + kEdges + (direction * 2 + Parity()) * kEdgeBytes);
  }

  Operands operands_;
  __gm__ T* input_;
  __gm__ T* output_;
  int32_t magic_;
  int32_t me_;
  int32_t core_;
  int32_t cores_;
  int32_t grid_rows_;
  int32_t grid_cols_;
};

template <class T>
[[bisheng::core_ratio(0, 1)]] __global__ __aicore__ void ShmemHaloExchange(uint64_t ffts, GM_ADDR input, GM_ADDR output,
                                                                           GM_ADDR gva, int64_t rows, int64_t cols,
                                                                           int32_t halo, int32_t periodic,
                                                                           int32_t grid_cols, int32_t magic) {
  util_set_ffts_config(ffts);
  HaloExchange<T>({input, output, gva, rows, cols, halo, periodic, grid_cols, magic}).Run();
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
void aclshmem_halo_exchange(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output,
                            uint8_t* gva, int64_t rows, int64_t cols, int32_t halo, int32_t periodic, int32_t grid_cols,
                            int32_t magic) {
  using Device = typename DeviceType<T>::Type;
  ShmemHaloExchange<Device><<<block_dim, nullptr, stream>>>(fftsAddr, input, output, gva, rows, cols, halo, periodic,
                                                            grid_cols, magic);
}

template void aclshmem_halo_exchange<int8_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int64_t,
                                             int32_t, int32_t, int32_t, int32_t);
template void aclshmem_halo_exchange<int32_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int64_t,
                                              int32_t, int32_t, int32_t, int32_t);
template void aclshmem_halo_exchange<op::fp16_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t,
                                                 int64_t, int32_t, int32_t, int32_t, int32_t);
template void aclshmem_halo_exchange<op::bfloat16>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t,
                                                   int64_t, int32_t, int32_t, int32_t, int32_t);
template void aclshmem_halo_exchange<float>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int64_t,
                                            int32_t, int32_t, int32_t, int32_t);

}  // namespace ShmemKernel
