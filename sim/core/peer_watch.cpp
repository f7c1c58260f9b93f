#include "sim/core/peer_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "sim/core/config.h"
#include "sim/core/control.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"

namespace shmem_sim {

PeerWatch::PeerWatch(int own_pe, const std::vector<pid_t>& pids)
    : own_pe_(own_pe), pids_(pids), stop_(eventfd(0, EFD_CLOEXEC)) {
  for (size_t pe = 0; pe < pids.size(); ++pe) {
    const bool watched = static_cast<int>(pe) != own_pe && pids[pe] != getpid();
    files_.push_back(watched ? static_cast<int>(syscall(SYS_pidfd_open, pids[pe], 0)) : -1);
    if (watched && files_.back() < 0) {
      lost(pe);  // it died between the meeting and now
    }
  }
  thread_ = std::thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
  thread_.join();
  close(stop_);
  for (const int file : files_) {
    if (file >= 0) {
      close(file);
    }
  }
}

Status PeerWatch::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void PeerWatch::lost(size_t pe) {
  Control& control = job_control(static_cast<int>(pe));
  std::string text = fmt::format("PE {} (pid {}) ended without leaving the job", pe, pids_[pe]);
  if (control.abort_code.load() != 0) {
    control.abort_reason[sizeof control.abort_reason - 1] = '\0';
    text = fmt::format("PE {} (pid {}) ended the job: {}", pe, pids_[pe], control.abort_reason);
  }
  {
    const std::lock_guard lock(mutex_);
    if (!status_.ok()) {
      return;
    }
    status_ = failed(kPeerLost, text);
  }
  report({"peer-lost", text});
  ring_doorbell();
}

void PeerWatch::watch() {
  std::vector<pollfd> files = {{stop_, POLLIN, 0}};
  for (const int file : files_) {
    files.push_back({file, POLLIN, 0});  // poll skips negative descriptors
  }
  bool broken = !status().ok();
  for (;;) {
    const int timeout = broken ? static_cast<int>(config().peer_grace_ms) : -1;
    const int ready = poll(files.data(), files.size(), timeout);
    if ((files[0].revents & POLLIN) != 0) {
      return;
    }
    if (ready == 0 && broken) {
      fmt::print(
          stderr, "shmem-sim: PE {} (pid {}) is ended: {}\n", own_pe_, getpid(), status().message);
      std::fflush(stderr);
      _exit(kLostExitCode);
    }
    for (size_t i = 1; i < files.size(); ++i) {
      if (files[i].fd >= 0 && files[i].revents != 0) {
        files[i].fd = -1;
        if (job_control(static_cast<int>(i - 1)).left.load() == 0) {
          lost(i - 1);
          broken = true;
        }
      }
    }
  }
}

}  // namespace shmem_sim
