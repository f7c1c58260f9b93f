#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sim/core/api.h"

// Everything that waits goes through wait_until, everything that becomes visible to others through
// publish. A waiting block parks its fiber; a process sleeps only when all its blocks are parked,
// after a few adaptive yields (docs/simulator.md#waiting), and is woken by a doorbell.

namespace shmem_sim {

// A non-owning reference to a predicate; it must outlive the call it is passed to.
class Ready {
 public:
  template <class F>
  explicit Ready(const F& f)
      : object_(&f), call_([](const void* o) -> bool { return (*static_cast<const F*>(o))(); }) {}
  bool operator()() const { return call_(object_); }

 private:
  const void* object_;
  bool (*call_)(const void*);
};

// What a wait is about, for the report when it does not end.
struct WaitPlace {
  const char* call = "";          // "aclshmem_signal_wait_until"
  const void* address = nullptr;  // the word; symmetric addresses are shown as (PE, offset)
  std::string (*describe)(const void* context) = nullptr;  // e.g. "value 3, waiting for EQ 4"
  const void* context = nullptr;
  std::chrono::steady_clock::time_point look_again{};  // at the latest; for what nobody rings for
};

enum class WaitResult { kReady, kTimeout, kJobBroken };

// Blocks the calling block (or host thread) until `ready` holds. In a block: on timeout
// (SHMEM_SIM_WAIT_TIMEOUT_MS) reports "wait-deadline" with all waiters of this process and the last
// writer, and fails the kernel; when a peer died, fails the kernel: it returns only kReady. On a
// host thread it returns the result and the caller turns it into an error. `ready` runs on whatever
// thread runs the blocks; it must be cheap and read shared words with acquire.
SHMEM_SIM_API WaitResult wait_until(const WaitPlace& place, Ready ready);

// Says that [address, address + bytes) was written (with release or before this call) and wakes
// whoever waits for something in it, in this process and, when it is symmetric memory, in others.
// Cheap when nobody sleeps.
SHMEM_SIM_API void publish(const void* address, size_t bytes);

}  // namespace shmem_sim
