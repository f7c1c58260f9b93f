#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/api.h"

// What the simulated program did that it may not do. A finding is written at once, to stderr and to
// the job's findings file, because the process may not live to tell it later.

namespace shmem_sim {

struct Finding {
  std::string_view rule;  // stable name, e.g. "wait-deadline"; the list is in docs/simulator.md
  std::string detail;     // one sentence: what, which values, and what to do
};

// Adds PE, device, kernel, block, last API call and source line from where it is called (a block or
// a host thread) and writes. Never throws, never blocks on another PE. Async-signal use is not
// allowed.
SHMEM_SIM_API void report(const Finding& finding);

// Number of findings of this process so far.
SHMEM_SIM_API int64_t finding_count();

}  // namespace shmem_sim
