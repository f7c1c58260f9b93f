#include "sim/core/block.h"

#include <thread>
#include <utility>

#include "sim/core/scheduler.h"

namespace shmem_sim {

std::string_view kernel_name(const Block& block) {
  return block.launch->description.name;
}

void yield() {
  if (current_block() == nullptr) {
    std::this_thread::yield();
    return;
  }
  const auto at_once = [] { return true; };
  const Ready ready(at_once);
  const WaitPlace place{"yield", nullptr, nullptr, nullptr};
  Scheduler::instance().park(place, ready);
}

void sync_all_blocks() {
  Launch& launch = *current_block()->launch;
  const uint64_t generation = launch.generation;
  if (++launch.arrived == static_cast<int64_t>(launch.description.block_count)) {
    launch.arrived = 0;
    ++launch.generation;
    return;
  }
  const auto everybody = [&] { return launch.generation != generation; };
  const WaitPlace place{"SyncAll", nullptr, nullptr, nullptr};
  wait_until(place, Ready(everybody));
}

void fail_kernel(Status status) {
  Launch& launch = *current_block()->launch;
  if (!launch.failed()) {
    launch.status = std::move(status);
  }
  throw KernelAborted{};
}

}  // namespace shmem_sim
