#include "sim/include/cann/shmem_sim/launch.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "sim/ascendc/local_memory.h"
#include "sim/ascendc/pipe.h"
#include "sim/core/finding.h"
#include "sim/core/stream.h"

namespace shmem_sim {
namespace {

constexpr int64_t kMaxBlocks = 65535;

}  // namespace

void enqueue_kernel(const LaunchSite& site,
                    int64_t blocks,
                    const void* stream,
                    std::function<void()> body) {
  const int device = current_device() < 0 ? 0 : current_device();
  KernelLaunch launch;
  launch.name = site.kernel;
  launch.block_count = blocks;
  launch.body = std::move(body);
  launch.make_local = [](Block& block) {
    return std::make_unique<ascendc::BlockPipes>(ascendc::ub_window(block.slot));
  };
  auto* target =
      stream == nullptr ? default_stream(device) : static_cast<Stream*>(const_cast<void*>(stream));
  std::string fault;
  if (!is_stream(target)) {
    fault = fmt::format("{} is not a live stream", stream);
    target = default_stream(device);
  } else if (blocks < 1 || blocks > kMaxBlocks) {
    fault = fmt::format("{} blocks: 1 to {} are possible", blocks, kMaxBlocks);
  }
  if (!fault.empty()) {
    fault = fmt::format("launch of {} at {}:{}: {}", site.kernel, site.file, site.line, fault);
    report({"bad-launch", fault});
    enqueue(target, site.kernel, [fault] { return failed(kKernelException, fault); });
    return;
  }
  enqueue_launch(target, std::move(launch));
}

}  // namespace shmem_sim
