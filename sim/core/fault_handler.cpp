#include "sim/core/fault_handler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "sim/core/block.h"
#include "sim/core/config.h"
#include "sim/core/fiber.h"
#include "sim/core/job.h"
#include "sim/core/stream.h"

namespace shmem_sim {
namespace {

constexpr size_t kSignalStackBytes = size_t{64} << 10;
constexpr uintptr_t kUnifiedBufferEnd = uintptr_t{256} << 10;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};

struct sigaction g_previous[NSIG];

const char* explain(int signal, uintptr_t address) {
  if (signal == SIGFPE) {
    return "arithmetic fault";
  }
  if (Fiber::is_overflow(reinterpret_cast<const void*>(address))) {
    return "the stack of the block is used up (256 KiB)";
  }
  return address < kUnifiedBufferEnd ? "access to a unified-buffer address as if it were memory (a "
                                       "cast that was not recognised) or to null"
                                     : "access outside allocated memory";
}
static_assert(Fiber::kStackBytes == size_t{256} << 10, "explain() says so");

// snprintf to a descriptor, cut to the buffer. Async-signal-safe as far as glibc's snprintf of
// numbers and strings is.
template <class... Args>
void write_text(int descriptor, const char* format, Args... args) {
  char text[1024];
  const int length = std::snprintf(text, sizeof text, format, args...);
  const auto bytes = std::min(static_cast<size_t>(std::max(length, 0)), sizeof text - 1);
  [[maybe_unused]] const ssize_t written = write(descriptor, text, bytes);
}

// Only what is safe inside a signal handler: no allocation, one write per target.
void tell(const Block& block, const char* what, uintptr_t address) {
  const std::string_view kernel = kernel_name(block);
  const auto kernel_length = static_cast<int>(std::min(kernel.size(), size_t{200}));
  const auto call_length = static_cast<int>(std::min(block.last_call.size(), size_t{100}));
  const char* call = call_length == 0 ? "" : block.last_call.data();
  const auto index = static_cast<long long>(block.index);
  const char* file = block.line.file == nullptr ? "" : block.line.file;
  write_text(STDERR_FILENO,
             "shmem-sim: finding kernel-fault: PE %d (pid %d), kernel %.*s block %lld, last call "
             "%.*s at %.200s:%d: %s, address %#zx\n",
             job_pe(),
             getpid(),
             kernel_length,
             kernel.data(),
             index,
             call_length,
             call,
             file,
             block.line.line,
             what,
             address);
  if (config().findings_file.empty()) {
    return;
  }
  const int findings =
      open(config().findings_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  write_text(
      findings,
      "{\"rule\":\"kernel-fault\",\"detail\":\"%s, address %#zx\",\"pe\":%d,\"pid\":%d,"
      "\"device\":%d,\"kernel\":\"%.*s\",\"block\":%lld,\"call\":\"%.*s\",\"file\":\"%.200s\","
      "\"line\":%d}\n",
      what,
      address,
      job_pe(),
      getpid(),
      current_device(),
      kernel_length,
      kernel.data(),
      index,
      call_length,
      call,
      file,
      block.line.line);
  close(findings);
}

void on_fault(int signal, siginfo_t* info, void*) {
  if (const Block* block = current_block()) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    tell(*block, explain(signal, address), address);
  }
  // The instruction faults again and goes to whoever was there.
  sigaction(signal, &g_previous[signal], nullptr);
}

}  // namespace

void install_fault_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const int signal : kSignals) {
      struct sigaction action = {};
      action.sa_sigaction = &on_fault;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&action.sa_mask);
      sigaction(signal, &action, &g_previous[signal]);
    }
  });
  // Blocks run on small stacks of their own: every leading thread needs an alternate stack for the
  // handler.
  thread_local bool has_stack = false;
  if (!has_stack) {
    has_stack = true;
    void* memory = mmap(
        nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t current = {};
    sigaltstack(nullptr, &current);
    if (memory != MAP_FAILED && (current.ss_flags & SS_DISABLE) != 0) {
      stack_t stack = {};
      stack.ss_sp = memory;
      stack.ss_size = kSignalStackBytes;
      sigaltstack(&stack, nullptr);
    }
  }
}

}  // namespace shmem_sim
