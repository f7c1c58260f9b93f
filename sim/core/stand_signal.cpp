#include "sim/core/stand_signal.h"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>

#include "sim/core/job.h"

namespace shmem_sim {
namespace {

std::atomic<bool> g_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is written in a signal handler");

struct sigaction g_listener;

constexpr int kFrames = 64;
constexpr int kOwnFrames = 2;  // tell_stack and on_signal

// The native stack of the thread that got the signal, the main thread as a rule. No allocation: the
// unwinder was loaded when the handler was installed. Looking up a name may wait for another thread
// that is loading a library, so this comes last.
void tell_stack() {
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  char text[100];
  const int length = std::snprintf(text,
                                   sizeof text,
                                   "shmem-sim: PE %d (pid %d), C++ stack of the thread asked:\n",
                                   job_pe(),
                                   getpid());
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, static_cast<size_t>(std::max(length, 0)));
  const int skipped = std::min(count, kOwnFrames);
  backtrace_symbols_fd(frames + skipped, count - skipped, STDERR_FILENO);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  g_asked = true;
  if ((g_listener.sa_flags & SA_SIGINFO) != 0) {
    g_listener.sa_sigaction(signal, info, context);
  } else {
    g_listener.sa_handler(signal);
  }
  tell_stack();
  errno = before;
}

}  // namespace

void install_stand_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    sigaction(SIGUSR1, nullptr, &g_listener);
    const bool plain = (g_listener.sa_flags & SA_SIGINFO) == 0;
    if (plain && (g_listener.sa_handler == SIG_DFL || g_listener.sa_handler == SIG_IGN)) {
      return;
    }
    void* frame = nullptr;
    backtrace(&frame, 1);  // loads the unwinder: a handler must not
    struct sigaction action = g_listener;
    action.sa_sigaction = &on_signal;
    action.sa_flags |= SA_SIGINFO;
    action.sa_flags &= ~SA_ONSTACK;  // the alternate stack may be too small for the unwinder
    sigaction(SIGUSR1, &action, nullptr);
  });
}

bool stand_is_asked() {
  return g_asked.load(std::memory_order_relaxed) && g_asked.exchange(false);
}

}  // namespace shmem_sim
