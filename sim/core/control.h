#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/job.h"

// The pages at the start of a process's memory file: what its peers read and write to wake it, to
// meet it at a barrier, and to learn how it ended. Internal to sim/core.

namespace shmem_sim {

inline constexpr size_t kMaxPes = 1024;
inline constexpr size_t kPeWords = kMaxPes / 64;
inline constexpr size_t kWaiterSlots = 512;
inline constexpr size_t kWriterSlots = 1024;
inline constexpr size_t kGatherBytes = 4096;
inline constexpr size_t kKernelNames = 64;
inline constexpr size_t kKernelNameBytes = 64;

// Sets of PEs.
struct PeSet {
  std::atomic<uint64_t> words[kPeWords];
};

// Who wrote a word. The halves are written one after the other: of two writers at once a reader may
// see half of each, which a report can bear.
struct Writer {
  std::atomic<uint64_t> who;     // offset (low 32 bits), PE + 1, block; 0: nobody yet
  std::atomic<uint64_t> detail;  // steady milliseconds << 8 | slot of the writer's kernel name + 1
};

// kLostPeer: it runs or has ended because of another PE's end, which `reason` tells.
// kExitsWell: it called exit(0) and had not left the job.
enum class Fate : uint32_t { kRuns, kNotJoined, kEndsJob, kLostPeer, kExitsWell };

struct Control {
  alignas(64) std::atomic<uint32_t> doorbell;
  std::atomic<uint32_t> sleeping;  // somebody sleeps on the doorbell
  // The barrier lies in PE 0's pages: generation << 32 | PEs that have arrived, and the word that
  // those who wait sleep on.
  alignas(64) std::atomic<uint64_t> barrier_state;
  alignas(64) std::atomic<uint32_t> barrier_generation;
  std::atomic<uint32_t> barrier_sleeping;
  alignas(64) std::atomic<uint32_t> barriers_entered;  // by this PE
  std::atomic<uint32_t> jobs_left;                     // properly, in the life of the process
  std::atomic<Fate> fate;                              // the next two are set before it
  int32_t exit_code;                                   // with kEndsJob
  std::atomic<bool> fate_taken;                        // by the thread that sets it
  char reason[1024];                                   // with all but kRuns
  alignas(64) PeSet any_waiter;             // of PEs that wait for some word of this owner
  alignas(64) PeSet waiters[kWaiterSlots];  // by hash of the 64-byte line
  alignas(64) Writer writers[kWriterSlots];
  char kernel_names[kKernelNames][kKernelNameBytes];  // of this PE's kernels, for its writers
  alignas(64) std::byte gather[kGatherBytes];
};

inline constexpr size_t kControlBytes = (sizeof(Control) + 4095) / 4096 * 4096;

// This process's pages: there from the first use, in a job and outside, until the process ends.
Control& own_control();
int own_memory_file();

// Forgets what an earlier job left in the pages. Doorbell and jobs_left go on: peers of that job
// may still look at them.
void clear_control(Control& control);

// Writes `text` to control.reason, cut to fit, then sets the fate. The first fate stands. Any
// thread.
void set_fate(Control& control, Fate fate, std::string_view text);
std::string reason_of(const Control& control);

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
