#include "sim/include/cann/shmem_sim/launch.h"

#include <memory>
#include <utility>

#include "sim/ascendc/local_memory.h"
#include "sim/ascendc/pipe.h"
#include "sim/core/stream.h"

namespace shmem_sim {

void enqueue_kernel(const LaunchSite& site, int64_t blocks, const void* stream, std::function<void()> body) {
  const int device = current_device() < 0 ? 0 : current_device();
  KernelLaunch launch;
  launch.name = site.kernel;
  launch.block_count = blocks;
  launch.body = std::move(body);
  launch.make_local = [](Block& block) {
    return std::make_unique<ascendc::BlockPipes>(ascendc::ub_window(block.slot));
  };
  auto* target = stream == nullptr ? default_stream(device) : static_cast<Stream*>(const_cast<void*>(stream));
  if (!is_stream(target)) {
    const std::string text = std::string(site.kernel) + ": launched on something that is not a live stream";
    enqueue(default_stream(device), site.kernel, [text] { return failed(kKernelException, text); });
    return;
  }
  enqueue_launch(target, std::move(launch));
}

}  // namespace shmem_sim
