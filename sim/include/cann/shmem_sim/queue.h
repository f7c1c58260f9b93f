#pragma once

// Buffers and queues of a TPipe: taken one behind the other from the unified buffer. Included by
// kernel_operator.h.

#include <cstdint>

#include "shmem_sim/runtime.h"
#include "shmem_sim/sync.h"
#include "shmem_sim/tensor.h"

namespace AscendC {

template <TPosition position = TPosition::VECCALC>
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

// A queue hands tensors from one pipe to the next. DeQue waits for the producing pipe, FreeTensor
// for the consuming one: stronger than the flags of the hardware, never weaker. What would hang on
// hardware is a finding.
template <TPosition position, int32_t depth>
class TQue {
 public:
  template <class T>
  LocalTensor<T> AllocTensor(sim::Here here = {}) {
    sim::enter(here.in("AllocTensor"));
    if (taken_ == count_) {
      sim::fail(
          "queue-exhausted",
          count_ == 0
              ? "AllocTensor: the queue has no buffers: call TPipe::InitBuffer first"
              : "AllocTensor: all buffers of the queue are taken: FreeTensor gives them back");
    }
    ++taken_;
    const uint32_t slot = next_++ % count_;
    return LocalTensor<T>(
        position, offset_ + slot * bytes_, bytes_ / static_cast<uint32_t>(sizeof(T)));
  }
  template <class T>
  bool EnQue(const LocalTensor<T>& tensor, sim::Here here = {}) {
    sim::enter(here.in("EnQue"));
    if (tail_ - head_ == kMaxBuffers) {
      sim::fail("queue-exhausted", "EnQue: the queue is full: DeQue takes tensors out");
    }
    queued_[tail_++ % kMaxBuffers] = tensor.address_;
    return true;
  }
  template <class T>
  LocalTensor<T> DeQue(sim::Here here = {}) {
    sim::pipe_barrier(position == TPosition::VECIN ? sim::Pipe::kMte2 : sim::Pipe::kV,
                      here.in("DeQue"));
    if (head_ == tail_) {
      sim::fail("queue-empty", "DeQue: nothing was enqueued");
    }
    LocalTensor<T> tensor;
    tensor.address_ = queued_[head_++ % kMaxBuffers];
    return tensor;
  }
  template <class T>
  void FreeTensor(const LocalTensor<T>&, sim::Here here = {}) {
    sim::pipe_barrier(position == TPosition::VECIN ? sim::Pipe::kV : sim::Pipe::kMte3,
                      here.in("FreeTensor"));
    if (taken_ == 0) {
      sim::fail("queue-empty", "FreeTensor: no tensor of this queue is out");
    }
    --taken_;
  }
  bool HasTensorInQue() const { return head_ != tail_; }
  bool HasIdleBuffer() const { return taken_ != count_; }

 private:
  friend class TPipe;
  static constexpr uint32_t kMaxBuffers = 64;
  uint32_t offset_ = 0;
  uint32_t bytes_ = 0;
  uint32_t count_ = 0;
  uint32_t taken_ = 0;
  uint32_t next_ = 0;
  uint32_t head_ = 0;
  uint32_t tail_ = 0;
  TBuffAddr queued_[kMaxBuffers];
};

class TPipe {
 public:
  TPipe() { Init(); }
  ~TPipe() { Destroy(); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  void Init() {
    sim::reset_ub();
    sim::current_tpipe() = this;
  }

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

  // Event ids for SetFlag and WaitFlag: Alloc reserves one until Release, Fetch names one that is
  // free at the moment.
  template <HardEvent event>
  TEventID AllocEventID() {
    const TEventID id = FetchEventID(event);
    events_[static_cast<int>(event)] |= static_cast<uint8_t>(1u << id);
    return id;
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    events_[static_cast<int>(event)] &= static_cast<uint8_t>(~(1u << id));
  }
  TEventID FetchEventID(HardEvent event) {
    for (TEventID id = 0; id < sim::kEventIds; ++id) {
      if ((events_[static_cast<int>(event)] & (1u << id)) == 0) {
        return id;
      }
    }
    sim::fail("bad-event-id",
              "FetchEventID: all 8 event ids of this event are allocated: ReleaseEventID gives "
              "them back");
  }
  template <HardEvent event>
  TEventID FetchEventID() {
    return FetchEventID(event);
  }

  void Reset() { sim::reset_ub(); }
  void Destroy() {
    if (sim::current_tpipe() == this) {
      sim::current_tpipe() = nullptr;
    }
  }

 private:
  static uint32_t Take(uint32_t bytes) {
    const auto* base = static_cast<const uint8_t*>(sim::ub_address(0));
    return static_cast<uint32_t>(static_cast<const uint8_t*>(sim::allocate_ub(bytes)) - base);
  }

  uint8_t events_[static_cast<int>(HardEvent::MAX)] = {};
};

// Null before the kernel has made a TPipe.
__inline__ TPipe* GetTPipePtr() {
  return static_cast<TPipe*>(sim::current_tpipe());
}

}  // namespace AscendC
