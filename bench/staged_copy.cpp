// The floor an all-gather on one host is compared with: copy the own chunk into shared memory,
// meet, copy everybody's chunk out. Also the barrier that aligns the processes of the benchmark.
// Loaded by bench/all_gather.py through ctypes.

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace {

// At the start of the shared memory; the chunks follow at kData.
struct Meeting {
  alignas(64) std::atomic<uint32_t> arrived;
  alignas(64) std::atomic<uint32_t> generation;
};
constexpr size_t kData = 4096;

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

// A few yields, none for a while after a slow one, then the futex: what the simulator does itself.
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen) {
  static int64_t no_yield_until = 0;
  for (int i = 0; i < 32 && word.load(std::memory_order_acquire) == seen; ++i) {
    const int64_t before = now_ns();
    if (before < no_yield_until) {
      break;
    }
    sched_yield();
    if (now_ns() - before > 200000) {
      no_yield_until = now_ns() + 20000000;
    }
  }
  while (word.load(std::memory_order_acquire) == seen) {
    syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) size_t staged_bytes(size_t chunk_bytes, int pe_count) {
  return kData + chunk_bytes * static_cast<size_t>(pe_count);
}

__attribute__((visibility("default"))) void staged_barrier(void* shared, int pe_count) {
  auto* meeting = static_cast<Meeting*>(shared);
  const uint32_t generation = meeting->generation.load();
  if (meeting->arrived.fetch_add(1) + 1 == static_cast<uint32_t>(pe_count)) {
    meeting->arrived = 0;
    meeting->generation.store(generation + 1);
    syscall(SYS_futex, &meeting->generation, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    return;
  }
  wait_for_change(meeting->generation, generation);
}

__attribute__((visibility("default"))) void staged_all_gather(
    void* shared, int pe, int pe_count, const void* input, void* output, size_t bytes) {
  auto* data = static_cast<char*>(shared) + kData;
  std::memcpy(data + static_cast<size_t>(pe) * bytes, input, bytes);
  staged_barrier(shared, pe_count);
  std::memcpy(output, data, bytes * static_cast<size_t>(pe_count));
  staged_barrier(shared, pe_count);  // nobody writes the next chunk while another still reads
}

}  // extern "C"
