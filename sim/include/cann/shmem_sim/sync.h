#pragma once

// Who a block is, and how its pipes are ordered. Included by kernel_operator.h.

#include <cstdint>
#include <cstdio>

#include "shmem_sim/language.h"
#include "shmem_sim/runtime.h"

// Only vector cores are simulated.
#define ASCEND_IS_AIV (true)
#define ASCEND_IS_AIC (false)

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};
enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// --- intrinsics of the same meaning as the class API below ---

__inline__ void set_flag(pipe_t from, pipe_t to, int id, ::shmem_sim::ascendc::Here here = {}) {
  ::shmem_sim::ascendc::set_flag(static_cast<::shmem_sim::ascendc::Pipe>(from),
                                 static_cast<::shmem_sim::ascendc::Pipe>(to),
                                 id,
                                 here.in("set_flag"));
}
__inline__ void wait_flag(pipe_t from, pipe_t to, int id, ::shmem_sim::ascendc::Here here = {}) {
  ::shmem_sim::ascendc::wait_flag(static_cast<::shmem_sim::ascendc::Pipe>(from),
                                  static_cast<::shmem_sim::ascendc::Pipe>(to),
                                  id,
                                  here.in("wait_flag"));
}
__inline__ void pipe_barrier(pipe_t pipe, ::shmem_sim::ascendc::Here here = {}) {
  ::shmem_sim::ascendc::pipe_barrier(static_cast<::shmem_sim::ascendc::Pipe>(pipe),
                                     here.in("pipe_barrier"));
}

// The scalar data cache is coherent here, so there is nothing to clean; loops that poll a word call
// it.
__inline__ void dcci(const volatile void*,
                     int /*line*/,
                     int /*destination*/ = CACHELINE_ALL,
                     ::shmem_sim::ascendc::Here here = {}) {
  ::shmem_sim::ascendc::poll(nullptr, 0, here.in("dcci"));
}

namespace AscendC {

namespace sim = ::shmem_sim::ascendc;
using TEventID = int8_t;

enum { AIC = 1, AIV = 2 };
constexpr int g_coreType = AIV;

enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  MTE2_MTE3,
  MTE3_MTE2,
  MTE2_S,
  S_MTE2,
  V_S,
  S_V,
  MTE3_S,
  S_MTE3,
  MTE1_S,
  S_MTE1,
  M_S,
  S_M,
  MTE1_V,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE1,
  MTE1_FIX,
  FIX_MTE2,
  FIX_MTE3,
  FIX_S,
  FIX_V,
  MAX
};

struct PipePair {
  sim::Pipe from;
  sim::Pipe to;
};

constexpr PipePair PipesOf(HardEvent event) {
  using P = sim::Pipe;
  switch (event) {
    case HardEvent::MTE2_MTE1:
      return {P::kMte2, P::kMte1};
    case HardEvent::MTE1_MTE2:
      return {P::kMte1, P::kMte2};
    case HardEvent::MTE1_M:
      return {P::kMte1, P::kM};
    case HardEvent::M_MTE1:
      return {P::kM, P::kMte1};
    case HardEvent::MTE2_V:
      return {P::kMte2, P::kV};
    case HardEvent::V_MTE2:
      return {P::kV, P::kMte2};
    case HardEvent::MTE3_V:
      return {P::kMte3, P::kV};
    case HardEvent::V_MTE3:
      return {P::kV, P::kMte3};
    case HardEvent::M_V:
      return {P::kM, P::kV};
    case HardEvent::V_M:
      return {P::kV, P::kM};
    case HardEvent::MTE2_MTE3:
      return {P::kMte2, P::kMte3};
    case HardEvent::MTE3_MTE2:
      return {P::kMte3, P::kMte2};
    case HardEvent::MTE2_S:
      return {P::kMte2, P::kS};
    case HardEvent::S_MTE2:
      return {P::kS, P::kMte2};
    case HardEvent::V_S:
      return {P::kV, P::kS};
    case HardEvent::S_V:
      return {P::kS, P::kV};
    case HardEvent::MTE3_S:
      return {P::kMte3, P::kS};
    case HardEvent::S_MTE3:
      return {P::kS, P::kMte3};
    case HardEvent::MTE1_S:
      return {P::kMte1, P::kS};
    case HardEvent::S_MTE1:
      return {P::kS, P::kMte1};
    case HardEvent::M_S:
      return {P::kM, P::kS};
    case HardEvent::S_M:
      return {P::kS, P::kM};
    case HardEvent::MTE1_V:
      return {P::kMte1, P::kV};
    case HardEvent::V_MTE1:
      return {P::kV, P::kMte1};
    case HardEvent::M_FIX:
      return {P::kM, P::kFix};
    case HardEvent::FIX_M:
      return {P::kFix, P::kM};
    case HardEvent::MTE3_MTE1:
      return {P::kMte3, P::kMte1};
    case HardEvent::MTE1_FIX:
      return {P::kMte1, P::kFix};
    case HardEvent::FIX_MTE2:
      return {P::kFix, P::kMte2};
    case HardEvent::FIX_MTE3:
      return {P::kFix, P::kMte3};
    case HardEvent::FIX_S:
      return {P::kFix, P::kS};
    case HardEvent::FIX_V:
      return {P::kFix, P::kV};
    case HardEvent::MAX:
      break;
  }
  return {P::kAll, P::kAll};
}

template <HardEvent event>
__inline__ void SetFlag(int id, sim::Here here = {}) {
  sim::set_flag(PipesOf(event).from, PipesOf(event).to, id, here.in("SetFlag"));
}

template <HardEvent event>
__inline__ void WaitFlag(int id, sim::Here here = {}) {
  sim::wait_flag(PipesOf(event).from, PipesOf(event).to, id, here.in("WaitFlag"));
}

template <pipe_t pipe>
__inline__ void PipeBarrier(sim::Here here = {}) {
  sim::pipe_barrier(static_cast<sim::Pipe>(pipe), here.in("PipeBarrier"));
}

// All blocks of the launch; without cube cores both forms are the same.
template <bool is_aiv_only = true>
__inline__ void SyncAll(sim::Here here = {}) {
  sim::sync_all(here.in("SyncAll"));
}

__inline__ int64_t GetBlockIdx() {
  return sim::block_index();
}
__inline__ int64_t GetBlockNum() {
  return sim::block_count();
}
__inline__ int64_t GetSubBlockIdx() {
  return 0;
}
__inline__ int64_t GetSubBlockNum() {
  return 1;
}
__inline__ int64_t GetTaskRation() {
  return 1;
}
__inline__ int64_t GetSystemCycle() {
  return sim::system_cycle();
}

// Prints at once, on the host's standard output.
template <class... Args>
__inline__ void PRINTF(const char* format, Args... arguments) {
  if constexpr (sizeof...(arguments) == 0) {
    std::fputs(format, stdout);
  } else {
    std::printf(
        format,
        arguments...);  // NOLINT(clang-diagnostic-format-security): the program's own format
  }
}

}  // namespace AscendC

using AscendC::g_coreType;
