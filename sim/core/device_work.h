#pragma once

// What a thread does for the simulated device at the moment. Internal to sim/core.

namespace shmem_sim {

struct LiveBlock;

// The block that runs on this thread; null on a host thread. These three are not inlined: the
// address of a thread-local must not be kept across a suspension.
LiveBlock*& running_block();

// The current device of this thread, -1 before it is set. Device work runs under the device of its
// stream.
int& thread_device();

// True on a thread that runs a task or a block at the moment: it must not wait for device work.
bool runs_device_work();

// Makes a block, or a task of a device, what this thread runs until the end of the scope.
class DeviceWorkScope {
 public:
  explicit DeviceWorkScope(LiveBlock& block);
  explicit DeviceWorkScope(int device);
  ~DeviceWorkScope();
  DeviceWorkScope(const DeviceWorkScope&) = delete;
  DeviceWorkScope& operator=(const DeviceWorkScope&) = delete;

 private:
  LiveBlock* outer_block_;
  int outer_device_;
};

}  // namespace shmem_sim
