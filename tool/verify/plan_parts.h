#pragma once

#include <string>
#include <vector>

#include "tool/verify/boundary_cases.h"
#include "tool/verify/verify.h"

// What the quick and the full plan are made of. Pure.

namespace shmem_bind::verify {

using Names = std::vector<std::string>;

// The part of a contract that the options ask for.
struct Selection {
  Names dtypes;
  Names functional;  // cases; never empty: the stress ones when there are no others
  Names stress;
  std::vector<int64_t> pes;
  std::vector<int64_t> seeds;
  int64_t calls = 0;
  bool has_own_shapes = true;  // also cases that the contract does not name
};
Selection selection_of(const contract::Contract& contract, const Options& options);

// 2 and 8, or the most that the contract allows up to them.
std::vector<int64_t> usual_pes(const contract::Contract& contract);

// The first and the last, or the only one.
Names ends_of(const Names& list);

// Every job of these sizes: eager, forked.
Job eager_job(const Selection& selection, int64_t pes);

// Variants of an eager job.
Job late_job(Job job);                                 // blocks reversed, last PE late
Job mixed_job(Job job);                                // shapes and dtypes in turns
Job streams_job(Job job, const Selection& selection);  // each call on another stream
Job lives_job(Job job, const Selection& selection);    // two objects, three lives of SHMEM
// Wrong calls in front of right ones.
Job wrong_calls_job(Job job, const contract::Contract& contract, const Selection& selection);
// Late transfers of the large path: a slot is used again while a PE still reads it.
Job late_large_job(Job large, int64_t seed);
Job seeded_job(Job job, int64_t seed);  // adversarial
Job launched_job(const Selection& selection, int64_t pes, const char* launcher);

// Makes the job one of these cases, too.
void add_case(Job& job, const contract::Case& test);

// Calls without elements between calls with some; nothing when the contract allows none.
std::vector<Job> zero_jobs(const contract::Contract& contract,
                           const Selection& selection,
                           int64_t pes);

std::vector<Job> plan_quick(const contract::Contract& contract, const Selection& selection);
std::vector<Job> plan_full(const contract::Contract& contract, const Selection& selection);
void add_launchers(std::vector<Job>& jobs,
                   const Selection& selection,
                   const std::vector<int64_t>& counts);

}  // namespace shmem_bind::verify
