#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

// Threads of the simulator's own must not take the program's signals. Internal to sim/core.

namespace shmem_sim {

// A thread that runs `body` with all signals blocked but those that a fault raises.
template <class Body>
std::thread background_thread(Body body) {
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace shmem_sim
