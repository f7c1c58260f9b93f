// Holds torch_npu's task queue, and launches a kernel past it: what a binding must not do.

#include <acl/acl.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

extern "C" void launch_copy(void* stream, void* target, void* source, int32_t count);

namespace {
std::mutex mutex;
std::condition_variable changed;
bool held = false;
}  // namespace

// Everything queued after this waits for release(), 30 s at most.
extern "C" void hold() {
  {
    std::lock_guard lock(mutex);
    held = true;
  }
  at_npu::native::OpCommand::RunOpApiV2("hold", [] {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(30), [] { return !held; }) ? 0 : 1;
  });
}

extern "C" void release() {
  {
    std::lock_guard lock(mutex);
    held = false;
  }
  changed.notify_all();
}

// stream(false) is the handle only, without waiting for the queue. Returns when the kernel has run.
extern "C" int launch_past_the_queue(void* target, void* source, int32_t count) {
  void* stream = c10_npu::getCurrentNPUStream().stream(false);
  launch_copy(stream, target, source, count);
  return aclrtSynchronizeStream(stream);
}
