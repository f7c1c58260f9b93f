#include "tool/verify/plan_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace shmem_bind::verify {
namespace {

using contract::Contract;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Those of `all` that are asked for; all of them when nothing is asked for.
Names chosen(const Names& all, const Names& asked) {
  Names names;
  std::copy_if(all.begin(), all.end(), std::back_inserter(names), [&](const std::string& name) {
    return asked.empty() || has(asked, name);
  });
  return names;
}

Names case_names(const Contract& contract, bool stress) {
  Names names;
  for (const contract::Case& item : contract.cases) {
    if (item.stress == stress) {
      names.push_back(item.name);
    }
  }
  return names;
}

std::vector<int64_t> pe_counts(const Contract& contract, const Options& options) {
  if (!options.pes.empty()) {
    return options.pes;
  }
  std::vector<int64_t> counts = usual_pes(contract);
  if (options.full) {
    for (const int64_t count : {1, 2, 3, 4, 8}) {
      if (contract.pe_counts.allows(count)) {
        counts.push_back(count);
      }
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  }
  return counts;
}

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> numbers;
  for (int64_t number = 1; number <= count; ++number) {
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<int64_t> usual_pes(const Contract& contract) {
  std::vector<int64_t> counts;
  for (const int64_t wanted : {2, 8}) {
    int64_t count = wanted;
    while (count > 0 && !contract.pe_counts.allows(count)) {
      --count;
    }
    if (count > 0 && std::find(counts.begin(), counts.end(), count) == counts.end()) {
      counts.push_back(count);
    }
  }
  return counts;
}

Selection selection_of(const Contract& contract, const Options& options) {
  Selection selection;
  selection.dtypes = chosen(dtype_names(contract), options.dtypes);
  selection.functional = chosen(case_names(contract, false), options.cases);
  selection.stress = chosen(case_names(contract, true), options.cases);
  if (selection.functional.empty()) {
    selection.functional = {selection.stress.front()};
  }
  selection.pes = pe_counts(contract, options);
  selection.seeds = options.seeds.empty() ? first_numbers(options.full ? 10 : 5) : options.seeds;
  selection.calls = options.calls > 0 ? options.calls : options.full ? 3 : 6;
  selection.has_own_shapes = options.cases.empty();
  return selection;
}

Names ends_of(const Names& list) {
  return list.size() > 1 ? Names{list.front(), list.back()} : list;
}

Job eager_job(const Selection& selection, int64_t pes) {
  Job job;
  job.name = fmt::format("{} PEs, eager", pes);
  job.launcher = "fork";
  job.pes = pes;
  job.calls = selection.calls;
  job.dtypes = selection.dtypes;
  job.cases = selection.functional;
  return job;
}

Job late_job(Job job) {
  job.name = fmt::format("{} PEs, last PE late, blocks reversed", job.pes);
  job.dtypes = ends_of(job.dtypes);
  job.environment = {{"SHMEM_SIM_BLOCK_ORDER", "reverse"},
                     {"SHMEM_SIM_SLOW_PE", std::to_string(job.pes - 1)}};
  return job;
}

Job late_large_job(Job large, int64_t seed) {
  large.name = fmt::format("{} PEs, large, seed {}", large.pes, seed);
  large.calls = 6;
  large.seed = seed;
  large.environment = {{"SHMEM_SIM_SEED", std::to_string(seed)},
                       {"SHMEM_SIM_SLOW_PE", std::to_string(seed % large.pes)},
                       {"SHMEM_SIM_HOLD_US", "100000"}};  // longer than what torch does in between
  return large;
}

Job mixed_job(Job job) {
  job.name = fmt::format("{} PEs, shapes change", job.pes);
  job.mixed = true;
  job.calls = 3;
  job.dtypes = ends_of(job.dtypes);
  return job;
}

Job streams_job(Job job, const Selection& selection) {
  job.name = fmt::format("{} PEs, side streams", job.pes);
  job.side_streams = true;
  job.calls = 6;
  job.dtypes = {selection.dtypes.back()};
  job.cases = {selection.functional.front()};
  job.environment = {{"SHMEM_SIM_SEED", "1"}};  // completion as late as the rules allow
  return job;
}

Job lives_job(Job job, const Selection& selection) {
  job.name = fmt::format("{} PEs, two objects, three lives", job.pes);
  job.calls = 6;
  job.dtypes = {selection.dtypes.front()};
  job.cases = {selection.functional.front()};
  job.objects = 2;
  job.lives = 3;
  return job;
}

Job seeded_job(Job job, int64_t seed) {
  job.name = fmt::format("{} PEs, seed {}", job.pes, seed);
  job.seed = seed;
  job.environment = {{"SHMEM_SIM_SEED", std::to_string(seed)},
                     {"SHMEM_SIM_SLOW_PE", std::to_string(seed % job.pes)}};
  return job;
}

Job launched_job(const Selection& selection, int64_t pes, const char* launcher) {
  Job job = eager_job(selection, pes);
  job.name = fmt::format("{} PEs, {}", pes, launcher);
  job.launcher = launcher;
  job.calls = 3;
  job.dtypes = {selection.dtypes.front()};
  job.cases = {selection.functional.front()};
  return job;
}

void add_case(Job& job, const contract::Case& test) {
  std::map<std::string, std::string>& values = job.derived[test.name];
  for (const auto& [symbol, size] : test.symbols) {
    values[symbol] = std::to_string(size);
  }
  values.insert(test.attributes.begin(), test.attributes.end());
  job.cases.push_back(test.name);
}

std::vector<Job> zero_jobs(const Contract& contract, const Selection& selection, int64_t pes) {
  const auto zero = selection.has_own_shapes ? zero_case(contract, pes) : std::nullopt;
  if (!zero) {
    return {};
  }
  Job job = mixed_job(eager_job(selection, pes));
  job.name = fmt::format("{} PEs, zero size", pes);
  job.dtypes = {zero->dtypes.front()};
  job.cases.clear();
  add_case(job, zero->test);
  job.cases.push_back(selection.functional.front());
  job.environment = {{"SHMEM_SIM_SLOW_PE", std::to_string(pes - 1)}};
  return {job};
}

void add_launchers(std::vector<Job>& jobs,
                   const Selection& selection,
                   const std::vector<int64_t>& counts) {
  for (const int64_t pes : counts) {
    for (const char* launcher : {"spawn", "torchrun"}) {
      jobs.push_back(launched_job(selection, pes, launcher));
    }
  }
}

}  // namespace shmem_bind::verify
