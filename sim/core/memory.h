#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/core/api.h"

// Registry of what the program may touch: device memory, pinned host memory, the symmetric heap.
// Device memory is ordinary host memory, told apart here. Thread-safe.

namespace shmem_sim {

enum class MemoryKind { kDevice, kHost, kSymmetric };

struct Region {
  void* base = nullptr;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
};

// Null when the device's memory is used up (SHMEM_SIM_DEVICE_MEMORY_MIB) or `bytes` is 0. 512-byte
// aligned, guard page behind blocks of at least 1 MiB.
SHMEM_SIM_API void* allocate_device(int device, size_t bytes);
SHMEM_SIM_API void* allocate_host(size_t bytes);
// False when `base` is not the start of a live allocation of that kind: nothing is changed.
SHMEM_SIM_API bool free_device(void* base);
SHMEM_SIM_API bool free_host(void* base);

// Makes foreign memory known (the symmetric heap, registered host memory) and forgets it again.
SHMEM_SIM_API void add_region(const Region& region);
SHMEM_SIM_API bool remove_region(void* base);

// The live region that holds the address, if any.
SHMEM_SIM_API std::optional<Region> find_region(const void* address);
// Whether a live region shares a byte with these, which do not go past the end of the address
// space.
SHMEM_SIM_API bool meets_region(const void* begin, size_t bytes);
SHMEM_SIM_API size_t device_bytes_in_use(int device);
SHMEM_SIM_API size_t device_bytes_total();

}  // namespace shmem_sim
