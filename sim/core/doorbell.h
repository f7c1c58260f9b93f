#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sim/core/api.h"

// How a process sleeps and is woken: one futex word per process that peers can ring, and per PE a
// table of who waits for what. The pattern that loses no wake-up: read doorbell_value(), announce
// what is waited for, look at the words once more, sleep on the value read. An announcement holds
// until somebody rings because of it.

namespace shmem_sim {

SHMEM_SIM_API uint32_t doorbell_value();

// Returns when the value differs from `seen` or `longest` is over. Yields a few times first, unless
// yielding was slow a moment ago (another process has the core), then sleeps in the kernel.
SHMEM_SIM_API void sleep_on_doorbell(uint32_t seen, std::chrono::nanoseconds longest);

// Wakes this process's sleepers.
SHMEM_SIM_API void ring_doorbell();

// Wakes the sleepers of every PE of the job: for words outside the symmetric heaps.
SHMEM_SIM_API void ring_all_doorbells();

// Enters a symmetric address into its owner's table of waiters. Addresses outside symmetric memory
// are ignored.
SHMEM_SIM_API void announce_wait(const void* address);

// Remembers who writes this word, for last_writer().
SHMEM_SIM_API void note_writer(const void* address);

// Who last wrote this word through store_word or fetch_add_word: "PE 3, kernel x, block 2, 14 ms
// ago", "PE 3, host thread, 14 ms ago", or "nobody". Best effort: words can take each other's
// entry.
SHMEM_SIM_API std::string last_writer(const void* address);

}  // namespace shmem_sim
