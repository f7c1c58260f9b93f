#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "sim/core/api.h"

// A stackful coroutine on Boost.Context's fcontext, with guard pages around a pooled stack and the
// annotations that AddressSanitizer and ThreadSanitizer need. Switching costs a few nanoseconds.

namespace shmem_sim {

class SHMEM_SIM_API Fiber {
 public:
  static constexpr size_t kStackBytes = size_t{256} << 10;

  // Runs `body` on a stack from the pool at the first resume(). `body` must not throw.
  explicit Fiber(std::function<void()> body);
  ~Fiber();  // the fiber must have ended or never been resumed
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the fiber until it suspends or ends. Any thread may resume it, one at a time.
  void resume();
  bool ended() const;

  // An ended fiber runs its body again, from the start, at its next resume(). It keeps its stack.
  void rearm();

  // Back to whoever resumed the running fiber. Only inside a fiber.
  static void suspend();

  // True when `address` lies in the guard below the stack of the fiber that runs on this thread: it
  // has used more than kStackBytes. May be asked in a signal handler.
  static bool is_overflow(const void* address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shmem_sim
