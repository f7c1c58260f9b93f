#pragma once

#include <sys/types.h>

#include <mutex>
#include <thread>
#include <vector>

#include "sim/core/status.h"

// Notices that a PE of the job died without leaving: one thread polls a pidfd of every peer. The
// first death breaks the job: every wait ends, and a process that has not ended by itself within
// peer_grace_ms is ended. Internal to sim/core.

namespace shmem_sim {

inline constexpr int kLostExitCode = 70;

class PeerWatch {
 public:
  PeerWatch(int own_pe, const std::vector<pid_t>& pids);
  ~PeerWatch();
  Status status() const;

 private:
  void watch();
  void lost(size_t pe);

  int own_pe_;
  std::vector<pid_t> pids_;
  std::vector<int> files_;  // pidfd per PE, -1 for the own one or where the kernel gives none
  int stop_ = -1;
  mutable std::mutex mutex_;
  Status status_;
  std::thread thread_;
};

}  // namespace shmem_sim
