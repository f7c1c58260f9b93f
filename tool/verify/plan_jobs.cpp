#include <fmt/format.h>

#include <algorithm>

#include "tool/verify/plan_parts.h"

namespace shmem_bind::verify {
namespace {

// Two of the dtypes, other ones for each seed: five seeds see all of them.
Names some_of(const Names& dtypes, int64_t seed) {
  const auto count = static_cast<int64_t>(dtypes.size());
  const auto first = static_cast<size_t>((seed % count + count) % count);
  Names some = {dtypes[first]};
  if (count > 1) {
    some.push_back(dtypes[(first + 1) % dtypes.size()]);
  }
  return some;
}

}  // namespace

// What an operator object lives through in a program is short: one fault shows at once.
std::vector<Job> plan_quick(const contract::Contract& contract, const Selection& selection) {
  std::vector<Job> jobs;
  for (const int64_t pes : selection.pes) {
    const Job eager = eager_job(selection, pes);
    jobs.push_back(eager);
    jobs.push_back(late_job(eager));
    if (!selection.stress.empty()) {
      Job large = eager;
      large.name = fmt::format("{} PEs, large", pes);
      large.calls = 3;
      large.dtypes = {selection.dtypes.back()};
      large.cases = selection.stress;
      jobs.push_back(large);
      if (pes == selection.pes.front()) {
        jobs.push_back(late_large_job(large, 1));
        jobs.push_back(late_large_job(large, 2));
      }
    }
    if (const Job mixed = mixed_job(eager); mixed.cases.size() * mixed.dtypes.size() > 1) {
      jobs.push_back(mixed);
    }
    for (const Job& zero : zero_jobs(contract, selection, pes)) {
      jobs.push_back(zero);
    }
    jobs.push_back(streams_job(eager, selection));
    if (pes == selection.pes.front()) {
      jobs.push_back(lives_job(eager, selection));
      jobs.push_back(wrong_calls_job(eager, contract, selection));
    }
    for (const int64_t seed : selection.seeds) {
      Job job = seeded_job(eager, seed);
      job.dtypes = some_of(selection.dtypes, seed);
      jobs.push_back(job);
    }
  }
  return jobs;
}

std::vector<Job> plan_jobs(const contract::Contract& contract, const Options& options) {
  const Selection selection = selection_of(contract, options);
  std::vector<Job> jobs =
      options.full ? plan_full(contract, selection) : plan_quick(contract, selection);
  if (options.launchers && !selection.pes.empty()) {
    std::vector<int64_t> counts = {selection.pes.front()};
    if (options.full) {
      const std::vector<int64_t> usual = usual_pes(contract);
      counts.clear();
      std::set_intersection(selection.pes.begin(),
                            selection.pes.end(),
                            usual.begin(),
                            usual.end(),
                            std::back_inserter(counts));
    }
    add_launchers(jobs, selection, counts);
  }
  return jobs;
}

}  // namespace shmem_bind::verify
