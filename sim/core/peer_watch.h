#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/core/status.h"

// Notices that a PE of the job died without leaving: one thread polls a pidfd of every peer. The
// first death breaks the job: every wait ends, and a process that has not ended by itself within
// peer_grace_ms is ended; a peer that exited with code 0 and did not finalize has only ended the
// waits. A forked child of the process is not watched and does not watch. Internal to sim/core.

namespace shmem_sim {

inline constexpr int kLostExitCode = 70;

class PeerWatch {
 public:
  // The control pages of all PEs must be mapped until stop().
  PeerWatch(int own_pe, const std::vector<pid_t>& pids);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  // Watches no longer. status() may still be asked, and says what it said.
  void stop();
  // Ok, or kPeerLost. Thread-safe, cheap while all is well.
  Status status() const;

 private:
  struct Peer {
    pid_t pid;
    int file;            // pidfd, -1 for the own process
    uint32_t jobs_left;  // when the watch began
  };

  void watch();
  bool left_properly(size_t pe) const;
  void lost(size_t pe);
  [[noreturn]] void end_process(int exit_code, const std::string& why) const;

  int own_pe_;
  std::vector<Peer> peers_;
  int stop_ = -1;
  std::atomic<bool> broken_{false};
  std::atomic<bool> must_end_{false};
  mutable std::mutex mutex_;
  Status status_;
  std::thread thread_;
};

}  // namespace shmem_sim
