#include "sim/core/fiber.h"

#include <cxxabi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHMEM_SIM_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define SHMEM_SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SHMEM_SIM_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SHMEM_SIM_ASAN 1
#endif
#ifdef SHMEM_SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SHMEM_SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace shmem_sim {
namespace {

namespace context = boost::context::detail;

constexpr size_t kStackBytes = Fiber::kStackBytes;
constexpr size_t kGuardBytes = size_t{64} << 10;  // no array of a kernel steps over it unnoticed
constexpr size_t kPooledStacks = 512;

// Stacks are expensive to map and cheap to keep. Pages of a kept stack stay touched.
class StackPool {
 public:
  char* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        char* stack = free_.back();
        free_.pop_back();
        return stack;
      }
    }
    void* memory = mmap(nullptr,
                        kGuardBytes + kStackBytes,
                        PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                        -1,
                        0);
    if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0) {
      throw std::runtime_error("no memory for the stack of a kernel block (256 KiB)");
    }
    return static_cast<char*>(memory) + kGuardBytes;
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  void give(char* stack) {
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() < kPooledStacks) {
        free_.push_back(stack);
        return;
      }
    }
    munmap(stack - kGuardBytes, kGuardBytes + kStackBytes);
  }

 private:
  std::mutex mutex_;
  std::vector<char*> free_;
};

StackPool& stack_pool() {
  static StackPool* pool = [] {
    // A child must not find the mutex held by a thread that it does not have.
    pthread_atfork(
        [] { stack_pool().lock(); }, [] { stack_pool().unlock(); }, [] { stack_pool().unlock(); });
    return new StackPool;  // outlives every thread that might end a fiber at exit
  }();
  return *pool;
}

// The C++ runtime's exceptions in flight belong to a thread; a fiber that is suspended inside a
// handler takes them along. Layout: Itanium C++ ABI, 2.2.2.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

void swap_exception_state(ExceptionState& state) {
  auto* current = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
  std::swap(*current, state);
}

}  // namespace

struct Fiber::State {
  std::function<void()> body;
  char* stack = nullptr;
  context::fcontext_t context = nullptr;  // where to go on in the fiber
  context::fcontext_t resumer = nullptr;  // where to go back to
  bool started = false;
  bool ended = false;
  ExceptionState exceptions;
  State* outer = nullptr;
#ifdef SHMEM_SIM_ASAN
  void* fake_stack = nullptr;
  const void* resumer_stack = nullptr;
  size_t resumer_stack_bytes = 0;
#endif
#ifdef SHMEM_SIM_TSAN
  void* tsan_fiber = nullptr;
  void* tsan_resumer = nullptr;
#endif

  // Not inlined and not taken for a constant: the address of a thread-local must not be kept across
  // a switch.
  [[gnu::noinline]] static State*& running() {
    thread_local State* state = nullptr;
    __asm__ volatile("");
    return state;
  }

  void leave() {
#ifdef SHMEM_SIM_ASAN
    __sanitizer_start_switch_fiber(
        ended ? nullptr : &fake_stack, resumer_stack, resumer_stack_bytes);
#endif
#ifdef SHMEM_SIM_TSAN
    __tsan_switch_to_fiber(tsan_resumer, 0);
#endif
    resumer = context::jump_fcontext(resumer, nullptr).fctx;
#ifdef SHMEM_SIM_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &resumer_stack, &resumer_stack_bytes);
#endif
  }

  static void entry(context::transfer_t from) {
    State* self = static_cast<State*>(from.data);
    self->resumer = from.fctx;
#ifdef SHMEM_SIM_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &self->resumer_stack, &self->resumer_stack_bytes);
#endif
    self->body();
    self->ended = true;
    self->leave();
  }
};

Fiber::Fiber(std::function<void()> body) : state_(std::make_unique<State>()) {
  state_->body = std::move(body);
}

Fiber::~Fiber() {
#ifdef SHMEM_SIM_TSAN
  if (state_->tsan_fiber != nullptr) {
    __tsan_destroy_fiber(state_->tsan_fiber);
  }
#endif
  if (state_->stack != nullptr) {
    stack_pool().give(state_->stack);
  }
}

bool Fiber::ended() const {
  return state_->ended;
}

void Fiber::resume() {
  State& state = *state_;
  if (!state.started) {
    if (state.stack == nullptr) {
      state.stack = stack_pool().take();
    }
    state.started = true;
    state.context = context::make_fcontext(state.stack + kStackBytes, kStackBytes, &State::entry);
#ifdef SHMEM_SIM_TSAN
    state.tsan_fiber = __tsan_create_fiber(0);
#endif
  }
  state.outer = std::exchange(State::running(), &state);
  swap_exception_state(state.exceptions);
#ifdef SHMEM_SIM_ASAN
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, state.stack, kStackBytes);
#endif
#ifdef SHMEM_SIM_TSAN
  state.tsan_resumer = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(state.tsan_fiber, 0);
#endif
  state.context = context::jump_fcontext(state.context, &state).fctx;
#ifdef SHMEM_SIM_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  swap_exception_state(state.exceptions);
  State::running() = state.outer;
}

void Fiber::rearm() {
  State& state = *state_;
#ifdef SHMEM_SIM_TSAN
  if (state.tsan_fiber != nullptr) {
    __tsan_destroy_fiber(std::exchange(state.tsan_fiber, nullptr));
  }
#endif
  state.started = false;
  state.ended = false;
  state.exceptions = {};
}

void Fiber::suspend() {
  State::running()->leave();
}

bool Fiber::is_overflow(const void* address) {
  const State* state = State::running();
  if (state == nullptr || state->stack == nullptr) {
    return false;
  }
  const char* at = static_cast<const char*>(address);
  return at < state->stack && at >= state->stack - kGuardBytes;
}

}  // namespace shmem_sim
