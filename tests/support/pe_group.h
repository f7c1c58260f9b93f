#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/core/job.h"

namespace shmem_sim::test {

// Runs `body(pe)` in `pe_count` forked processes under a deadline and returns their exit codes (128
// + signal when one died from one; 124 when the deadline ended it). A body that returns exits with
// its result. Standard error of a PE that failed is shown.
std::vector<int> run_pes(int pe_count, const std::function<int(int pe)>& body, int deadline_s = 30);

// A port that was free a moment ago.
uint16_t free_port();

// Options of a job on loopback.
JobOptions options_of(int pe, int pe_count, uint16_t port, uint64_t heap_bytes = uint64_t{1} << 20);

}  // namespace shmem_sim::test
