#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sim/core/job.h"

// The pages at the start of a process's memory file: what its peers read and write to wake it, to
// meet it at a barrier, and to learn how it ended. Internal to sim/core.

namespace shmem_sim {

inline constexpr size_t kMaxPes = 1024;
inline constexpr size_t kPeWords = kMaxPes / 64;
inline constexpr size_t kWaiterSlots = 512;
inline constexpr size_t kWriterSlots = 1024;
inline constexpr size_t kGatherBytes = 4096;

// Sets of PEs.
struct PeSet {
  std::atomic<uint64_t> words[kPeWords];
};

struct Control {
  alignas(64) std::atomic<uint32_t> doorbell;
  std::atomic<uint32_t> sleeping;                     // somebody sleeps on the doorbell
  alignas(64) std::atomic<uint32_t> barrier_arrived;  // used in PE 0's pages
  alignas(64) std::atomic<uint32_t> barrier_generation;
  std::atomic<uint32_t> barrier_sleeping;
  alignas(64) std::atomic<uint32_t> left;  // left the job properly
  std::atomic<int32_t> abort_code;         // 0, or why it ended the job
  char abort_reason[1024];
  alignas(64) PeSet any_waiter;             // of PEs that wait for some word of this owner
  alignas(64) PeSet waiters[kWaiterSlots];  // by hash of the 64-byte line
  alignas(64) std::atomic<uint64_t> writers[kWriterSlots];
  alignas(64) std::byte gather[kGatherBytes];
};

inline constexpr size_t kControlBytes = (sizeof(Control) + 4095) / 4096 * 4096;

// This process's pages: there from the first use, in a job and outside, until the process ends.
Control& own_control();
int own_memory_file();

// Forgets what an earlier job left in the pages (not the doorbell).
void clear_control(Control& control);

// Waits until `word` differs from `seen`; sets `sleeping` before it sleeps in the kernel. See
// sleep_on_doorbell.
void adaptive_wait(std::atomic<uint32_t>& word,
                   std::atomic<uint32_t>& sleeping,
                   uint32_t seen,
                   std::chrono::nanoseconds longest);

// Changes `word` and wakes everyone who sleeps on it.
void advance_and_wake(std::atomic<uint32_t>& word, std::atomic<uint32_t>& sleeping);

// The pages of a PE of the current job.
Control& job_control(int pe);

}  // namespace shmem_sim
