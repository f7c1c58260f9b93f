#include "sim/core/arena.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace shmem_sim {

std::byte* reserve_windows(uint64_t count, uint64_t window_bytes) {
  void* memory = mmap(
      nullptr, count * window_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("shmem-sim: no addresses for unified buffers");
    std::abort();
  }
  return static_cast<std::byte*>(memory);
}

void open_window(std::byte* window, uint64_t usable_bytes) {
  if (mprotect(window, usable_bytes, PROT_READ | PROT_WRITE) != 0) {
    std::perror("shmem-sim: no memory for a unified buffer");
    std::abort();
  }
}

}  // namespace shmem_sim
