#include "sim/core/wait.h"

#include "sim/core/block.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/job.h"
#include "sim/core/scheduler.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;

WaitResult wait_on_host(const WaitPlace& place, const Ready& ready) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(config().wait_timeout_ms);
  for (;;) {
    const uint32_t seen = doorbell_value();
    if (ready()) {
      return WaitResult::kReady;
    }
    if (!job_status().ok()) {
      return WaitResult::kJobBroken;
    }
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= 0ns) {
      return WaitResult::kTimeout;
    }
    announce_wait(place.address);
    if (!ready()) {
      sleep_on_doorbell(seen, std::min<std::chrono::nanoseconds>(left, 50ms));
    }
  }
}

}  // namespace

WaitResult wait_until(const WaitPlace& place, Ready ready) {
  Block* block = current_block();
  if (block == nullptr) {
    return wait_on_host(place, ready);
  }
  block->last_call = place.call;
  if (!ready()) {
    Scheduler::instance().park(place, ready);
  }
  return WaitResult::kReady;
}

}  // namespace shmem_sim
