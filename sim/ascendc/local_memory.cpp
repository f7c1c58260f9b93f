#include "sim/ascendc/local_memory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "sim/core/arena.h"
#include "sim/core/choose.h"
#include "sim/include/cann/shmem_sim/runtime.h"

namespace shmem_sim::ascendc {
namespace {

struct Arena {
  std::byte* base = reserve_windows(kMaxSlots, kUbWindowBytes);
  std::vector<bool> open = std::vector<bool>(kMaxSlots, false);
};

// Only the thread that runs blocks comes here.
Arena& arena() {
  static Arena* instance = new Arena;  // kernels may run until the process ends
  return *instance;
}

}  // namespace

std::byte* ub_window(int slot) {
  if (slot >= kMaxSlots) {
    fmt::print(stderr, "shmem-sim: more than {} blocks live at once\n", kMaxSlots);
    std::abort();
  }
  std::byte* window = arena().base + static_cast<uint64_t>(slot) * kUbWindowBytes;
  if (!arena().open[static_cast<size_t>(slot)]) {
    open_window(window, kUbBytes);
    arena().open[static_cast<size_t>(slot)] = true;
  }
  if (adversarial()) {
    std::memset(window, kPoison, kUbBytes);  // what an earlier kernel left must not help this one
  }
  return window;
}

bool in_ub_arena(const void* address) {
  const auto distance =
      static_cast<uint64_t>(static_cast<const std::byte*>(address) - arena().base);
  return distance < kMaxSlots * kUbWindowBytes;
}

}  // namespace shmem_sim::ascendc
