#include "sim/core/fault_handler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "sim/core/block.h"
#include "sim/core/config.h"
#include "sim/core/job.h"

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
  return address < kUnifiedBufferEnd ? "access to a unified-buffer address as if it were memory (a "
                                       "cast that was not recognised) or to null"
                                     : "access outside allocated memory";
}

// Only what is safe inside a signal handler: no allocation, one write per target.
void on_fault(int signal, siginfo_t* info, void*) {
  if (const Block* block = current_block()) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const std::string_view kernel = kernel_name(*block);
    char text[640];
    int length = std::snprintf(
        text,
        sizeof text,
        "shmem-sim: finding kernel-fault: PE %d (pid %d), kernel %.*s block %lld, in %.*s: %s, "
        "address %#zx\n",
        job_pe(),
        getpid(),
        static_cast<int>(kernel.size()),
        kernel.data(),
        static_cast<long long>(block->index),
        static_cast<int>(block->last_call.size()),
        block->last_call.data(),
        explain(signal, address),
        address);
    [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, static_cast<size_t>(length));
    if (!config().findings_file.empty()) {
      const int file =
          open(config().findings_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
      length = std::snprintf(
          text,
          sizeof text,
          "{\"rule\":\"kernel-fault\",\"detail\":\"%s, address %#zx\",\"pe\":%d,\"pid\":%d,"
          "\"kernel\":\"%.*s\",\"block\":%lld}\n",
          explain(signal, address),
          address,
          job_pe(),
          getpid(),
          static_cast<int>(kernel.size()),
          kernel.data(),
          static_cast<long long>(block->index));
      written = write(file, text, static_cast<size_t>(length));
      close(file);
    }
  }
  sigaction(signal,
            &g_previous[signal],
            nullptr);  // the instruction faults again and goes to whoever was there
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
