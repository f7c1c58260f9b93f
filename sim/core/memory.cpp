#include "sim/core/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "sim/core/choose.h"
#include "sim/core/config.h"

namespace shmem_sim {
namespace {

constexpr size_t kAlignment = 512;
constexpr size_t kPage = 4096;
constexpr size_t kGuardedFrom = size_t{1} << 20;  // blocks of at least this size are mapped alone
constexpr int kPoison = 0xA5;

size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

struct Entry {
  Region region;
  bool owned = false;       // by this registry: freed with it
  size_t mapped_bytes = 0;  // > 0: a mapping with a guard page behind
};

struct Registry {
  std::shared_mutex mutex;
  std::map<uintptr_t, Entry> regions;
  std::vector<size_t> used = std::vector<size_t>(32, 0);
};

Registry& registry() {
  static Registry* instance = new Registry;  // needed until the very end of the process
  return *instance;
}

// The block ends right at its guard page, so that the first byte behind it faults.
void* map_guarded(size_t bytes, size_t& mapped_bytes) {
  const size_t body = round_up(bytes, kPage);
  mapped_bytes = body + kPage;
  void* memory = mmap(nullptr,
                      mapped_bytes,
                      PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1,
                      0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  mprotect(static_cast<char*>(memory) + body, kPage, PROT_NONE);
  return memory;
}

void* allocate(size_t bytes, MemoryKind kind, int device) {
  if (bytes == 0) {
    return nullptr;
  }
  Entry entry;
  void* base = bytes >= kGuardedFrom ? map_guarded(bytes, entry.mapped_bytes)
                                     : std::aligned_alloc(kPage, round_up(bytes, kPage));
  if (base == nullptr) {
    return nullptr;
  }
  if (adversarial()) {
    std::memset(base, kPoison, bytes);
  }
  entry.region = {base, bytes, kind, device};
  entry.owned = true;
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  all.regions[reinterpret_cast<uintptr_t>(base)] = entry;
  return base;
}

bool release(void* base, MemoryKind kind) {
  Registry& all = registry();
  Entry entry;
  {
    const std::unique_lock lock(all.mutex);
    const auto found = all.regions.find(reinterpret_cast<uintptr_t>(base));
    if (found == all.regions.end() || !found->second.owned || found->second.region.kind != kind) {
      return false;
    }
    entry = found->second;
    all.regions.erase(found);
    if (kind == MemoryKind::kDevice) {
      all.used[static_cast<size_t>(entry.region.device)] -= entry.region.bytes;
    }
  }
  if (entry.mapped_bytes > 0) {
    munmap(base, entry.mapped_bytes);
  } else {
    std::free(base);
  }
  return true;
}

}  // namespace

void* allocate_device(int device, size_t bytes) {
  const size_t rounded = round_up(bytes, kAlignment);
  {
    Registry& all = registry();
    const std::unique_lock lock(all.mutex);
    size_t& used = all.used.at(static_cast<size_t>(device));
    if (rounded < bytes || rounded > device_bytes_total() - used) {
      return nullptr;
    }
    used += rounded;
  }
  void* base = allocate(rounded, MemoryKind::kDevice, device);
  if (base == nullptr) {
    Registry& all = registry();
    const std::unique_lock lock(all.mutex);
    all.used[static_cast<size_t>(device)] -= rounded;
  }
  return base;
}

void* allocate_host(size_t bytes) {
  return allocate(bytes, MemoryKind::kHost, 0);
}
bool free_device(void* base) {
  return release(base, MemoryKind::kDevice);
}
bool free_host(void* base) {
  return release(base, MemoryKind::kHost);
}

void add_region(const Region& region) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  all.regions[reinterpret_cast<uintptr_t>(region.base)] = Entry{region, false, 0};
}

bool remove_region(void* base) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  const auto found = all.regions.find(reinterpret_cast<uintptr_t>(base));
  if (found == all.regions.end() || found->second.owned) {
    return false;
  }
  all.regions.erase(found);
  return true;
}

std::optional<Region> find_region(const void* address) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto next = all.regions.upper_bound(at);
  if (next == all.regions.begin()) {
    return std::nullopt;
  }
  const Region& region = std::prev(next)->second.region;
  if (at - reinterpret_cast<uintptr_t>(region.base) >= region.bytes) {
    return std::nullopt;
  }
  return region;
}

size_t device_bytes_in_use(int device) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  return all.used.at(static_cast<size_t>(device));
}

size_t device_bytes_total() {
  return static_cast<size_t>(config().device_memory_mib) << 20;
}

}  // namespace shmem_sim
