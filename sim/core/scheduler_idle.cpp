#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "sim/core/choose.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"
#include "sim/core/scheduler.h"
#include "sim/core/stand_signal.h"

// What the leader does when nothing can run: late transfers, deadlines, sleep.

namespace shmem_sim {

using namespace std::chrono_literals;
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

bool Scheduler::complete_something_late() {
  std::vector<LiveBlock*> owing;
  for (LiveBlock* live : order_) {
    if (live->block.local != nullptr && !live->block.local->drained()) {
      owing.push_back(live);
    }
  }
  if (owing.empty()) {
    late_at_ = {};
    return false;
  }
  const SteadyTime now = Clock::now();
  if (late_at_ == SteadyTime{}) {
    late_at_ = now + chosen_hold();
  }
  if (now < late_at_) {
    return false;
  }
  late_at_ = {};
  LiveBlock& live = *owing[choose(owing.size())];
  const DeviceWorkScope scope(live);
  try {
    live.block.local->complete_one();
  } catch (const KernelAborted&) {  // the launch has failed: its blocks end when they are resumed
  }
  return true;
}

void Scheduler::check_deadlines(SteadyTime now) {
  const Status broken = job_status();
  const auto limit = std::chrono::milliseconds(config().wait_timeout_ms);
  for (LiveBlock* live : order_) {
    if (live->wait.ready == nullptr || live->block.launch->failed()) {
      continue;
    }
    if (!broken.ok()) {
      live->block.launch->status = broken;
    } else if (!live->wait.timed) {
      live->wait.timed = true;
      live->wait.since = now;
    } else if (now - live->wait.since > limit) {
      const std::string waits = describe_waits();
      const DeviceWorkScope scope(*live);
      report({"wait-deadline",
              fmt::format("a wait did not end within {} ms; all waits of this process:\n{}",
                          limit.count(),
                          waits)});
      live->block.launch->status =
          failed(kKernelTimeout,
                 fmt::format("kernel {}: a wait did not end within {} ms\n{}",
                             kernel_name(live->block),
                             limit.count(),
                             waits));
    }
  }
}

std::string Scheduler::describe_waits() {
  std::string text;
  const SteadyTime now = Clock::now();
  for (const LiveBlock* live : order_) {
    if (live->wait.ready == nullptr) {
      continue;
    }
    const WaitPlace& place = *live->wait.place;
    const SymmetricPlace word = symmetric_place(place.address);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
        live->wait.timed ? now - live->wait.since : SteadyTime::duration{});
    const SourceLine& line = live->block.line;
    text += fmt::format("  kernel {} block {}: {}{} on {}{}; {} ms; last written by {}\n",
                        kernel_name(live->block),
                        live->block.index,
                        place.call,
                        line.file == nullptr ? "" : fmt::format(" at {}:{}", line.file, line.line),
                        word.pe < 0 ? fmt::format("address {}", place.address)
                                    : fmt::format("PE {} offset {:#x}", word.pe, word.offset),
                        place.describe == nullptr ? "" : ": " + place.describe(place.context),
                        since.count(),
                        last_writer(place.address));
  }
  return text;
}

// Nothing can run. Late transfers first, then deadlines, then sleep until somebody rings.
void Scheduler::sleep(uint32_t seen, std::optional<SteadyTime> deadline) {
  if (complete_something_late()) {
    return;
  }
  const SteadyTime now = Clock::now();
  check_deadlines(now);
  if (stand_is_asked()) {
    const std::string stand = fmt::format(
        "shmem-sim: PE {} (pid {}) stands in\n{}", job_pe(), getpid(), describe_waits());
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, stand.data(), stand.size());
  }
  auto longest = std::chrono::nanoseconds(50ms);  // deadlines and peers are looked at that often
  if (deadline) {
    longest = std::min<std::chrono::nanoseconds>(longest, *deadline - now);
  }
  if (late_at_ != SteadyTime{}) {
    longest = std::min<std::chrono::nanoseconds>(longest, late_at_ - now);
  }
  if (next_start_ != SteadyTime::max()) {
    longest = std::min<std::chrono::nanoseconds>(longest, next_start_ - now);
    next_start_ = SteadyTime::max();
  }
  bool ready = false;
  for (LiveBlock* live : order_) {
    if (live->wait.ready != nullptr) {
      announce_wait(live->wait.place->address);
    }
  }
  for (LiveBlock* live : order_) {
    if (live->wait.ready != nullptr && live->wait.place->look_again != SteadyTime{}) {
      longest = std::min<std::chrono::nanoseconds>(longest, live->wait.place->look_again - now);
    }
    if (live->code_ended) {
      longest = std::min<std::chrono::nanoseconds>(longest, live->drain_at - now);
    } else if (live->wait.ready == nullptr || live->block.launch->failed() ||
               (*live->wait.ready)()) {
      ready = true;
      break;
    }
  }
  if (!ready && longest > 0ns) {
    sleep_on_doorbell(seen, longest);
  }
  const std::lock_guard lock(mutex_);
  leader_sleeps_ = false;
}

}  // namespace shmem_sim
