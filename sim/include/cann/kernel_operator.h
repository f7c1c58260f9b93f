#pragma once

// The part of the AscendC language that copy kernels use. What is not here does not compile; docs/simulator.md lists it.

#include <cstdint>
#include <cstdio>
#include <type_traits>

#include "shmem_sim/float16.h"
#include "shmem_sim/language.h"
#include "shmem_sim/runtime.h"

using half = ::shmem_sim::Float16<::shmem_sim::DeviceHalf, ::shmem_sim::half_bits, ::shmem_sim::half_value>;
using float16_t = half;
using bfloat16_t =
    ::shmem_sim::Float16<::shmem_sim::DeviceBfloat16, ::shmem_sim::bfloat16_bits, ::shmem_sim::bfloat16_value>;

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif

// Only vector cores are simulated.
#define ASCEND_IS_AIV (true)
#define ASCEND_IS_AIC (false)

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

// Intrinsics of the same meaning as the class API below.
__inline__ void set_flag(pipe_t from, pipe_t to, int id) {
  ::shmem_sim::ascendc::set_flag(static_cast<::shmem_sim::ascendc::Pipe>(from),
                                 static_cast<::shmem_sim::ascendc::Pipe>(to), id, "set_flag");
}
__inline__ void wait_flag(pipe_t from, pipe_t to, int id) {
  ::shmem_sim::ascendc::wait_flag(static_cast<::shmem_sim::ascendc::Pipe>(from),
                                  static_cast<::shmem_sim::ascendc::Pipe>(to), id, "wait_flag");
}
__inline__ void pipe_barrier(pipe_t pipe) {
  ::shmem_sim::ascendc::pipe_barrier(static_cast<::shmem_sim::ascendc::Pipe>(pipe));
}

namespace AscendC {

using TEventID = int8_t;
namespace sim = ::shmem_sim::ascendc;

enum class HardEvent : uint8_t {
  MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, MTE2_MTE3, MTE3_MTE2, MTE2_S, S_MTE2,
  V_S, S_V, MTE3_S, S_MTE3, MTE1_S, S_MTE1, M_S, S_M, MTE1_V, V_MTE1, M_FIX, FIX_M, MTE3_MTE1, MTE1_FIX, FIX_MTE2,
  FIX_MTE3, FIX_S, FIX_V
};

struct PipePair {
  sim::Pipe from;
  sim::Pipe to;
};

constexpr PipePair PipesOf(HardEvent event) {
  using P = sim::Pipe;
  switch (event) {
    case HardEvent::MTE2_MTE1: return {P::kMte2, P::kMte1};
    case HardEvent::MTE1_MTE2: return {P::kMte1, P::kMte2};
    case HardEvent::MTE1_M: return {P::kMte1, P::kM};
    case HardEvent::M_MTE1: return {P::kM, P::kMte1};
    case HardEvent::MTE2_V: return {P::kMte2, P::kV};
    case HardEvent::V_MTE2: return {P::kV, P::kMte2};
    case HardEvent::MTE3_V: return {P::kMte3, P::kV};
    case HardEvent::V_MTE3: return {P::kV, P::kMte3};
    case HardEvent::M_V: return {P::kM, P::kV};
    case HardEvent::V_M: return {P::kV, P::kM};
    case HardEvent::MTE2_MTE3: return {P::kMte2, P::kMte3};
    case HardEvent::MTE3_MTE2: return {P::kMte3, P::kMte2};
    case HardEvent::MTE2_S: return {P::kMte2, P::kS};
    case HardEvent::S_MTE2: return {P::kS, P::kMte2};
    case HardEvent::V_S: return {P::kV, P::kS};
    case HardEvent::S_V: return {P::kS, P::kV};
    case HardEvent::MTE3_S: return {P::kMte3, P::kS};
    case HardEvent::S_MTE3: return {P::kS, P::kMte3};
    case HardEvent::MTE1_S: return {P::kMte1, P::kS};
    case HardEvent::S_MTE1: return {P::kS, P::kMte1};
    case HardEvent::M_S: return {P::kM, P::kS};
    case HardEvent::S_M: return {P::kS, P::kM};
    case HardEvent::MTE1_V: return {P::kMte1, P::kV};
    case HardEvent::V_MTE1: return {P::kV, P::kMte1};
    case HardEvent::M_FIX: return {P::kM, P::kFix};
    case HardEvent::FIX_M: return {P::kFix, P::kM};
    case HardEvent::MTE3_MTE1: return {P::kMte3, P::kMte1};
    case HardEvent::MTE1_FIX: return {P::kMte1, P::kFix};
    case HardEvent::FIX_MTE2: return {P::kFix, P::kMte2};
    case HardEvent::FIX_MTE3: return {P::kFix, P::kMte3};
    case HardEvent::FIX_S: return {P::kFix, P::kS};
    case HardEvent::FIX_V: return {P::kFix, P::kV};
  }
  return {P::kAll, P::kAll};
}

template <HardEvent event>
__inline__ void SetFlag(int id) {
  sim::set_flag(PipesOf(event).from, PipesOf(event).to, id, "SetFlag");
}

template <HardEvent event>
__inline__ void WaitFlag(int id) {
  sim::wait_flag(PipesOf(event).from, PipesOf(event).to, id, "WaitFlag");
}

template <pipe_t pipe>
__inline__ void PipeBarrier() {
  sim::pipe_barrier(static_cast<sim::Pipe>(pipe));
}

template <bool is_aiv_only = true>
__inline__ void SyncAll() {
  sim::sync_all();
}

__inline__ int64_t GetBlockIdx() { return sim::block_index(); }
__inline__ int64_t GetBlockNum() { return sim::block_count(); }
__inline__ int64_t GetSubBlockIdx() { return 0; }
__inline__ int64_t GetSubBlockNum() { return 1; }
__inline__ int64_t GetSystemCycle() { return sim::system_cycle(); }

#define PRINTF(...) std::printf(__VA_ARGS__)

// --- tensors ---

enum class TPosition : uint8_t { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM, SPM, MAX };
using QuePosition = TPosition;

struct TBuffAddr {
  uint32_t dataLen = 0;     // bytes
  uint32_t bufferAddr = 0;  // offset in the unified buffer
  uint8_t logicPos = 0;
};

template <class T>
class LocalTensor {
 public:
  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t offset, uint32_t elements) {
    address_.logicPos = static_cast<uint8_t>(position);
    address_.bufferAddr = offset;
    address_.dataLen = elements * static_cast<uint32_t>(sizeof(T));
  }

  T* GetPhyAddr() const { return static_cast<T*>(sim::ub_address(address_.bufferAddr)); }
  T* GetPhyAddr(uint32_t element) const { return GetPhyAddr() + element; }
  uint32_t GetSize() const { return address_.dataLen / static_cast<uint32_t>(sizeof(T)); }
  T GetValue(uint32_t element) const { return GetPhyAddr()[element]; }
  void SetValue(uint32_t element, T value) const { GetPhyAddr()[element] = value; }
  T& operator()(uint32_t element) const { return GetPhyAddr()[element]; }
  LocalTensor operator[](uint32_t element) const {
    LocalTensor rest = *this;
    const auto bytes = element * static_cast<uint32_t>(sizeof(T));
    rest.address_.bufferAddr += bytes;
    rest.address_.dataLen -= bytes < address_.dataLen ? bytes : address_.dataLen;
    return rest;
  }
  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other;
    other.address_ = address_;
    return other;
  }

  TBuffAddr address_;
};

template <class T>
class GlobalTensor {
 public:
  void SetGlobalBuffer(__gm__ T* address, uint64_t elements = 0) {
    address_ = address;
    elements_ = elements;
  }
  __gm__ T* GetPhyAddr(uint64_t element = 0) const { return address_ + element; }
  uint64_t GetSize() const { return elements_; }
  T GetValue(uint64_t element) const {
    sim::require_device_memory(address_ + element, sizeof(T), "element", "GlobalTensor::GetValue");
    return address_[element];
  }
  void SetValue(uint64_t element, T value) const {
    sim::require_device_memory(address_ + element, sizeof(T), "element", "GlobalTensor::SetValue");
    address_[element] = value;
  }
  GlobalTensor operator[](uint64_t element) const {
    GlobalTensor rest;
    rest.address_ = address_ + element;
    rest.elements_ = elements_ > element ? elements_ - element : 0;
    return rest;
  }

 private:
  T* address_ = nullptr;
  uint64_t elements_ = 0;
};

// --- buffers of a TPipe: taken one behind the other from the unified buffer ---

template <TPosition position>
class TBuf {
 public:
  template <class T>
  LocalTensor<T> Get() const {
    return LocalTensor<T>(position, offset_, bytes_ / static_cast<uint32_t>(sizeof(T)));
  }
  template <class T>
  LocalTensor<T> Get(uint32_t elements) const {
    return LocalTensor<T>(position, offset_, elements);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset_bytes) const {
    return LocalTensor<T>(position, offset_ + offset_bytes, elements);
  }

 private:
  friend class TPipe;
  uint32_t offset_ = 0;
  uint32_t bytes_ = 0;
};

// A queue hands tensors from one pipe to the next. DeQue waits for the producing pipe, FreeTensor for the consuming one:
// stronger than the flags of the hardware, never weaker.
template <TPosition position, int32_t depth>
class TQue {
 public:
  template <class T>
  LocalTensor<T> AllocTensor() {
    const uint32_t slot = next_++ % (count_ == 0 ? 1 : count_);
    return LocalTensor<T>(position, offset_ + slot * bytes_, bytes_ / static_cast<uint32_t>(sizeof(T)));
  }
  template <class T>
  bool EnQue(const LocalTensor<T>& tensor) {
    queued_[tail_++ % kMaxDepth] = tensor.address_;
    return true;
  }
  template <class T>
  LocalTensor<T> DeQue() {
    sim::pipe_barrier(position == TPosition::VECIN ? sim::Pipe::kMte2 : sim::Pipe::kV);
    LocalTensor<T> tensor;
    tensor.address_ = queued_[head_++ % kMaxDepth];
    return tensor;
  }
  template <class T>
  void FreeTensor(const LocalTensor<T>&) {
    sim::pipe_barrier(position == TPosition::VECIN ? sim::Pipe::kV : sim::Pipe::kMte3);
  }

 private:
  friend class TPipe;
  static constexpr uint32_t kMaxDepth = 64;
  uint32_t offset_ = 0;
  uint32_t bytes_ = 0;
  uint32_t count_ = 0;
  uint32_t next_ = 0;
  uint32_t head_ = 0;
  uint32_t tail_ = 0;
  TBuffAddr queued_[kMaxDepth];
};

class TPipe {
 public:
  TPipe() { sim::reset_ub(); }

  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, uint32_t bytes) {
    buffer.offset_ = Take(bytes);
    buffer.bytes_ = bytes;
    return true;
  }
  template <TPosition position, int32_t depth>
  bool InitBuffer(TQue<position, depth>& queue, uint8_t count, uint32_t bytes) {
    const uint32_t rounded = (bytes + 31) / 32 * 32;
    queue.offset_ = Take(rounded * count);
    queue.bytes_ = rounded;
    queue.count_ = count;
    return true;
  }
  void Reset() { sim::reset_ub(); }
  void Destroy() {}

 private:
  static uint32_t Take(uint32_t bytes) {
    const auto* base = static_cast<const uint8_t*>(sim::ub_address(0));
    return static_cast<uint32_t>(static_cast<const uint8_t*>(sim::allocate_ub(bytes)) - base);
  }
};

// --- data movement ---

struct DataCopyParams {
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;    // 32-byte units
  uint16_t srcStride = 0;   // gap, 32-byte units
  uint16_t dstStride = 0;
};

struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;   // bytes
  uint32_t srcStride = 0;  // gap: bytes in global memory, 32-byte units in the unified buffer
  uint32_t dstStride = 0;
  uint32_t rsv = 0;

  DataCopyExtParams() = default;
  DataCopyExtParams(uint16_t count, uint32_t length, uint32_t source, uint32_t destination, uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved) {}
};

template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = {};

  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

namespace internal {

__inline__ uint64_t RequireWhole(uint64_t bytes) {
  if (bytes % 32 != 0) {
    sim::fail("unaligned-copy", "DataCopy moves whole blocks of 32 bytes; DataCopyPad moves any number of bytes");
  }
  return bytes;
}

__inline__ uint64_t RoundUp32(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

}  // namespace internal

template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination, const GlobalTensor<T>& source, uint32_t elements) {
  const uint64_t bytes = internal::RequireWhole(uint64_t{elements} * sizeof(T));
  sim::issue_copy(sim::Pipe::kMte2, {destination.GetPhyAddr(), source.GetPhyAddr(), 1, bytes, bytes, bytes}, "DataCopy");
}

template <class T>
__inline__ void DataCopy(const GlobalTensor<T>& destination, const LocalTensor<T>& source, uint32_t elements) {
  const uint64_t bytes = internal::RequireWhole(uint64_t{elements} * sizeof(T));
  sim::issue_copy(sim::Pipe::kMte3, {destination.GetPhyAddr(), source.GetPhyAddr(), 1, bytes, bytes, bytes}, "DataCopy");
}

template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination, const GlobalTensor<T>& source, const DataCopyParams& p) {
  const uint64_t row = uint64_t{p.blockLen} * 32;
  sim::issue_copy(sim::Pipe::kMte2, {destination.GetPhyAddr(), source.GetPhyAddr(), p.blockCount, row,
                                     row + uint64_t{p.dstStride} * 32, row + uint64_t{p.srcStride} * 32}, "DataCopy");
}

template <class T>
__inline__ void DataCopy(const GlobalTensor<T>& destination, const LocalTensor<T>& source, const DataCopyParams& p) {
  const uint64_t row = uint64_t{p.blockLen} * 32;
  sim::issue_copy(sim::Pipe::kMte3, {destination.GetPhyAddr(), source.GetPhyAddr(), p.blockCount, row,
                                     row + uint64_t{p.dstStride} * 32, row + uint64_t{p.srcStride} * 32}, "DataCopy");
}

// Padding values are not modelled: with isPad the padded elements keep what the buffer held, so it is refused.
template <class T>
__inline__ void DataCopyPad(const LocalTensor<T>& destination,
                            const GlobalTensor<T>& source,
                            const DataCopyExtParams& p,
                            const DataCopyPadExtParams<T>& pad) {
  if (pad.isPad && (pad.leftPadding != 0 || pad.rightPadding != 0)) {
    sim::fail("unmodelled-call", "DataCopyPad with padding values is not modelled");
  }
  sim::issue_copy(sim::Pipe::kMte2, {destination.GetPhyAddr(), source.GetPhyAddr(), p.blockCount, p.blockLen,
                                     internal::RoundUp32(p.blockLen) + uint64_t{p.dstStride} * 32,
                                     uint64_t{p.blockLen} + p.srcStride}, "DataCopyPad");
}

template <class T>
__inline__ void DataCopyPad(const GlobalTensor<T>& destination, const LocalTensor<T>& source, const DataCopyExtParams& p) {
  sim::issue_copy(sim::Pipe::kMte3, {destination.GetPhyAddr(), source.GetPhyAddr(), p.blockCount, p.blockLen,
                                     uint64_t{p.blockLen} + p.dstStride,
                                     internal::RoundUp32(p.blockLen) + uint64_t{p.srcStride} * 32}, "DataCopyPad");
}

}  // namespace AscendC
