#include "sim/core/device_work.h"

#include <utility>

#include "sim/core/block.h"
#include "sim/core/scheduler.h"

namespace shmem_sim {
namespace {

// Set while a task runs on this thread.
[[gnu::noinline]] bool& running_task() {
  thread_local bool runs = false;
  __asm__ volatile("");
  return runs;
}

}  // namespace

[[gnu::noinline]] LiveBlock*& running_block() {
  thread_local LiveBlock* block = nullptr;
  __asm__ volatile("");  // not a constant of the function it is called in
  return block;
}

[[gnu::noinline]] int& thread_device() {
  thread_local int device = -1;
  __asm__ volatile("");
  return device;
}

bool runs_device_work() {
  return running_block() != nullptr || running_task();
}

DeviceWorkScope::DeviceWorkScope(LiveBlock& block)
    : outer_block_(std::exchange(running_block(), &block)),
      outer_device_(std::exchange(thread_device(), block.block.launch->stream->device)) {}

DeviceWorkScope::DeviceWorkScope(int device)
    : outer_block_(nullptr), outer_device_(std::exchange(thread_device(), device)) {
  running_task() = true;
}

DeviceWorkScope::~DeviceWorkScope() {
  running_block() = outer_block_;
  thread_device() = outer_device_;
  running_task() = false;
}

Block* current_block() {
  LiveBlock* live = running_block();
  return live == nullptr ? nullptr : &live->block;
}

}  // namespace shmem_sim
