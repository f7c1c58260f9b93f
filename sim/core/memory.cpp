#include "sim/core/memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sim/core/choose.h"
#include "sim/core/config.h"

namespace shmem_sim {
namespace {

constexpr size_t kAlignment = 512;
constexpr size_t kPage = 4096;
constexpr size_t kGuardedFrom = size_t{1} << 20;  // blocks of at least this size are mapped alone
constexpr int kPoison = 0xA5;
constexpr size_t kPoisonBytes = size_t{2} << 20;

size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

bool holds(const Region& region, uintptr_t address) {
  return address - reinterpret_cast<uintptr_t>(region.base) < region.bytes;
}

struct Entry {
  Region region;
  bool owned = false;       // by this registry: freed with it
  size_t mapped_bytes = 0;  // > 0: a mapping with a guard page behind
};

struct Registry {
  std::mutex mutex;
  std::map<uintptr_t, Entry> regions;
  std::atomic<uint64_t> generation{1};  // changes with `regions`
  std::vector<size_t> used = std::vector<size_t>(32, 0);
};

Registry& registry() {
  static Registry* instance = [] {
    // A child must not find the mutex held by a thread that it does not have.
    pthread_atfork([] { registry().mutex.lock(); },
                   [] { registry().mutex.unlock(); },
                   [] { registry().mutex.unlock(); });
    return new Registry;  // needed until the very end of the process
  }();
  return *instance;
}

void insert(const Entry& entry) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.regions[reinterpret_cast<uintptr_t>(entry.region.base)] = entry;
  all.generation.fetch_add(1, std::memory_order_release);
}

// A file of poison, made once. Mapped privately over a block, its pages become the block's own when
// they are written: fresh memory of any size is poisoned without touching it.
int poison_file() {
  static const int file = [] {
    const int fresh = memfd_create("shmem-sim-poison", MFD_CLOEXEC);
    const std::vector<char> poison(kPoisonBytes, static_cast<char>(kPoison));
    if (fresh >= 0 &&
        write(fresh, poison.data(), poison.size()) != static_cast<ssize_t>(poison.size())) {
      close(fresh);
      return -1;
    }
    return fresh;
  }();
  return file;
}

bool map_poison(char* memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPoisonBytes) {
    void* mapped = mmap(memory + at,
                        std::min(kPoisonBytes, bytes - at),
                        PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                        poison_file(),
                        0);
    if (mapped == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// The page behind the block faults.
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
  if (adversarial() && !map_poison(static_cast<char*>(memory), body)) {
    munmap(memory, mapped_bytes);
    return nullptr;
  }
  return memory;
}

void* allocate_small(size_t bytes) {
  void* memory = std::aligned_alloc(kPage, round_up(bytes, kPage));
  if (memory != nullptr && adversarial()) {
    std::memset(memory, kPoison, bytes);
  }
  return memory;
}

void* allocate(size_t bytes, MemoryKind kind, int device) {
  if (bytes == 0) {
    return nullptr;
  }
  Entry entry;
  void* base =
      bytes >= kGuardedFrom ? map_guarded(bytes, entry.mapped_bytes) : allocate_small(bytes);
  if (base == nullptr) {
    return nullptr;
  }
  entry.region = {base, bytes, kind, device};
  entry.owned = true;
  insert(entry);
  return base;
}

bool release(void* base, MemoryKind kind) {
  Registry& all = registry();
  Entry entry;
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.regions.find(reinterpret_cast<uintptr_t>(base));
    if (found == all.regions.end() || !found->second.owned || found->second.region.kind != kind) {
      return false;
    }
    entry = found->second;
    all.regions.erase(found);
    all.generation.fetch_add(1, std::memory_order_release);
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
    const std::lock_guard lock(all.mutex);
    size_t& used = all.used.at(static_cast<size_t>(device));
    if (rounded < bytes || rounded > device_bytes_total() - used) {
      return nullptr;
    }
    used += rounded;
  }
  void* base = allocate(rounded, MemoryKind::kDevice, device);
  if (base == nullptr) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
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
  insert(Entry{region, false, 0});
}

bool remove_region(void* base) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.regions.find(reinterpret_cast<uintptr_t>(base));
  if (found == all.regions.end() || found->second.owned) {
    return false;
  }
  all.regions.erase(found);
  all.generation.fetch_add(1, std::memory_order_release);
  return true;
}

std::optional<Region> find_region(const void* address) {
  // Most look-ups of a thread are in the region of the one before.
  struct Found {
    uint64_t generation = 0;
    Region region{};
  };
  thread_local Found last;
  Registry& all = registry();
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (last.generation == all.generation.load(std::memory_order_acquire) && holds(last.region, at)) {
    return last.region;
  }
  const std::lock_guard lock(all.mutex);
  const auto next = all.regions.upper_bound(at);
  if (next == all.regions.begin() || !holds(std::prev(next)->second.region, at)) {
    return std::nullopt;
  }
  last = {all.generation.load(std::memory_order_relaxed), std::prev(next)->second.region};
  return last.region;
}

bool meets_region(const void* begin, size_t bytes) {
  Registry& all = registry();
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const std::lock_guard lock(all.mutex);
  const auto next = all.regions.upper_bound(at);
  const bool begins_in_one =
      next != all.regions.begin() && holds(std::prev(next)->second.region, at);
  return bytes > 0 && (begins_in_one || (next != all.regions.end() && next->first - at < bytes));
}

size_t device_bytes_in_use(int device) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.used.at(static_cast<size_t>(device));
}

size_t device_bytes_total() {
  return static_cast<size_t>(config().device_memory_mib) << 20;
}

}  // namespace shmem_sim
