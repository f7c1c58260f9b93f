#include "sim/core/peer_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "sim/core/background_thread.h"
#include "sim/core/config.h"
#include "sim/core/control.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// What the process left in the process table, as long as its parent has not taken it from there
// (proc(5), /proc/pid/stat: field 3 is the state, the last one the exit status).
std::optional<int> exit_status(pid_t pid) {
  // Not a stream: reading fails when the process goes away behind its name, and streams throw then.
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re"), &std::fclose);
  char buffer[1024];
  const size_t length = file == nullptr ? 0 : std::fread(buffer, 1, sizeof buffer, file.get());
  const std::string_view text(buffer, length);
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || text.compare(name_end, 4, ") Z ") != 0) {
    return std::nullopt;
  }
  return std::atoi(std::string(text.substr(text.find_last_of(' '))).c_str());
}

std::string how_it_ended(const std::optional<int>& status) {
  if (status && WIFSIGNALED(*status)) {
    return fmt::format(
        "was ended by signal {} ({})", WTERMSIG(*status), strsignal(WTERMSIG(*status)));
  }
  if (status && WIFEXITED(*status)) {
    return fmt::format("exited with code {}", WEXITSTATUS(*status));
  }
  return "ended";
}

// Another thread may hold the lock of standard output for ever.
void flush_what_can_be() {
  std::fflush(stderr);
  if (ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
}

int open_process(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

PeerWatch::PeerWatch(int own_pe, const std::vector<pid_t>& pids)
    : own_pe_(own_pe), stop_(eventfd(0, EFD_CLOEXEC)) {
  for (size_t pe = 0; pe < pids.size(); ++pe) {
    const bool own = static_cast<int>(pe) == own_pe;
    peers_.push_back({pids[pe],
                      own ? -1 : open_process(pids[pe]),
                      job_control(static_cast<int>(pe)).jobs_left.load()});
  }
  for (size_t pe = 0; pe < pids.size(); ++pe) {
    if (static_cast<int>(pe) != own_pe && peers_[pe].file < 0) {
      lost(pe);  // it died between the meeting and now
    }
  }
  thread_ = background_thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  stop();
}

void PeerWatch::stop() {
  if (!thread_.joinable()) {
    return;
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
  thread_.join();
  close(stop_);
  for (const Peer& peer : peers_) {
    if (peer.file >= 0) {
      close(peer.file);
    }
  }
}

Status PeerWatch::status() const {
  if (!broken_.load(std::memory_order_acquire)) {
    return {};
  }
  const std::lock_guard lock(mutex_);
  return status_;
}

bool PeerWatch::left_properly(size_t pe) const {
  return job_control(static_cast<int>(pe)).jobs_left.load() != peers_[pe].jobs_left;
}

void PeerWatch::lost(size_t pe) {
  const Control& control = job_control(static_cast<int>(pe));
  const Fate fate = control.fate.load(std::memory_order_acquire);
  const pid_t pid = peers_[pe].pid;
  const std::optional<int> status = exit_status(pid);
  const bool ended_well =
      fate == Fate::kExitsWell || (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0);
  std::string text;
  if (fate == Fate::kEndsJob) {
    text = fmt::format("PE {} (pid {}) ended the job: {}", pe, pid, reason_of(control));
    if (control.exit_code == 0) {
      end_process(0, text);
    }
  } else if (fate == Fate::kNotJoined) {
    text = fmt::format("PE {} (pid {}) could not join: {}", pe, pid, reason_of(control));
  } else if (fate == Fate::kLostPeer) {
    text = reason_of(control);  // it ended because of an earlier end
  } else {
    text = fmt::format(
        "PE {} (pid {}) {} without leaving the job; every PE must finalize before it ends",
        pe,
        pid,
        fate == Fate::kExitsWell ? reason_of(control) : how_it_ended(status));
  }
  {
    const std::lock_guard lock(mutex_);
    if (!status_.ok()) {
      return;
    }
    status_ = failed(kPeerLost, text);
  }
  must_end_ = !ended_well;
  set_fate(own_control(), Fate::kLostPeer, text);
  broken_.store(true, std::memory_order_release);
  report({"peer-lost", text});
  ring_doorbell();
}

void PeerWatch::end_process(int exit_code, const std::string& why) const {
  fmt::print(stderr, "shmem-sim: PE {} (pid {}) is ended: {}\n", own_pe_, getpid(), why);
  flush_what_can_be();
  _exit(exit_code);
}

void PeerWatch::watch() {
  std::vector<pollfd> files = {{stop_, POLLIN, 0}};
  for (const Peer& peer : peers_) {
    files.push_back({peer.file, POLLIN, 0});  // poll skips negative descriptors
  }
  std::optional<Clock::time_point> end;
  for (;;) {
    if (!end && must_end_) {
      end = Clock::now() + std::chrono::milliseconds(config().peer_grace_ms);
    }
    const auto left = end ? std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()) : 0ms;
    if (end && left <= 0ms) {
      end_process(kLostExitCode, status().message);
    }
    if (poll(files.data(), files.size(), end ? static_cast<int>(left.count()) : -1) < 0) {
      continue;
    }
    if (files[0].revents != 0) {
      return;
    }
    for (size_t pe = 0; pe < peers_.size(); ++pe) {
      if (files[pe + 1].revents != 0) {
        files[pe + 1].fd = -1;
        files[pe + 1].revents = 0;
        if (!left_properly(pe)) {
          lost(pe);
        }
      }
    }
  }
}

}  // namespace shmem_sim
