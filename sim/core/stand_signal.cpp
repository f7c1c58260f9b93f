#include "sim/core/stand_signal.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace shmem_sim {
namespace {

std::atomic<bool> g_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is written in a signal handler");

struct sigaction g_listener;

void on_signal(int signal, siginfo_t* info, void* context) {
  g_asked = true;
  if ((g_listener.sa_flags & SA_SIGINFO) != 0) {
    g_listener.sa_sigaction(signal, info, context);
  } else {
    g_listener.sa_handler(signal);
  }
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
    struct sigaction action = g_listener;
    action.sa_sigaction = &on_signal;
    action.sa_flags |= SA_SIGINFO;
    sigaction(SIGUSR1, &action, nullptr);
  });
}

bool stand_is_asked() {
  return g_asked.load(std::memory_order_relaxed) && g_asked.exchange(false);
}

}  // namespace shmem_sim
