#include <fmt/format.h>

#include <algorithm>

#include "tool/contract/dtype.h"
#include "tool/verify/verify.h"

namespace shmem_bind::verify {
namespace {

using contract::Contract;

std::vector<std::string> dtype_names(const Contract& contract) {
  std::vector<std::string> names;
  for (const contract::Dtype dtype : contract.dispatch) {
    names.emplace_back(contract::row(dtype).dsl);
  }
  if (names.empty()) {
    names.emplace_back("fixed");
  }
  return names;
}

std::vector<std::string> case_names(const Contract& contract, bool stress) {
  std::vector<std::string> names;
  for (const contract::Case& item : contract.cases) {
    if (item.stress == stress) {
      names.push_back(item.name);
    }
  }
  return names.empty() && !stress ? std::vector<std::string>{contract.cases[0].name} : names;
}

// Two of the dtypes, other ones for each seed: five seeds see all of them.
std::vector<std::string> some_of(const std::vector<std::string>& dtypes, int64_t seed) {
  const auto count = static_cast<int64_t>(dtypes.size());
  const auto first = static_cast<size_t>((seed % count + count) % count);
  std::vector<std::string> chosen = {dtypes[first]};
  if (count > 1) {
    chosen.push_back(dtypes[(first + 1) % dtypes.size()]);
  }
  return chosen;
}

// 2 and 8, or what the contract allows next to them.
std::vector<int64_t> pe_counts(const Contract& contract, const Options& options) {
  if (!options.pes.empty()) {
    return options.pes;
  }
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

// The first and the last, or the only one.
std::vector<std::string> ends_of(const std::vector<std::string>& dtypes) {
  return dtypes.size() > 1 ? std::vector<std::string>{dtypes.front(), dtypes.back()} : dtypes;
}

// What an operator object lives through in a program: changing shapes, other streams, a second
// object, another start of SHMEM. Short: one fault shows at once.
void add_lives(std::vector<Job>& jobs, const Contract& contract, const Job& eager, bool first) {
  Job mixed = eager;
  mixed.name = fmt::format("{} PEs, shapes change", eager.pes);
  mixed.mixed = true;
  mixed.calls = 3;
  mixed.dtypes = ends_of(eager.dtypes);
  if (mixed.cases.size() * mixed.dtypes.size() > 1) {
    jobs.push_back(mixed);
  }
  Job streams = eager;
  streams.name = fmt::format("{} PEs, side streams", eager.pes);
  streams.side_streams = true;
  streams.calls = 6;
  streams.dtypes = {eager.dtypes.back()};
  streams.cases = {case_names(contract, false)[0]};
  streams.environment = {{"SHMEM_SIM_SEED", "1"}};  // completion as late as the rules allow
  jobs.push_back(streams);
  if (first) {
    Job lives = eager;
    lives.name = fmt::format("{} PEs, two objects, three lives", eager.pes);
    lives.calls = 6;
    lives.dtypes = {eager.dtypes.front()};
    lives.cases = streams.cases;
    lives.objects = 2;
    lives.lives = 3;
    jobs.push_back(lives);
  }
}

}  // namespace

std::vector<Job> plan_jobs(const Contract& contract, const Options& options) {
  std::vector<Job> jobs;
  const std::vector<std::string> dtypes = dtype_names(contract);
  const std::vector<int64_t> seeds =
      options.seeds.empty() ? std::vector<int64_t>{1, 2, 3, 4, 5} : options.seeds;
  const std::vector<int64_t> counts = pe_counts(contract, options);
  for (const int64_t pes : counts) {
    Job eager{fmt::format("{} PEs, eager", pes),
              "fork",
              pes,
              0,
              options.calls,
              dtypes,
              case_names(contract, false),
              {}};
    jobs.push_back(eager);
    Job late = eager;
    late.name = fmt::format("{} PEs, last PE late, blocks reversed", pes);
    late.dtypes = ends_of(dtypes);
    late.environment = {{"SHMEM_SIM_BLOCK_ORDER", "reverse"},
                        {"SHMEM_SIM_SLOW_PE", std::to_string(pes - 1)}};
    jobs.push_back(late);
    if (const std::vector<std::string> large = case_names(contract, true); !large.empty()) {
      jobs.push_back(
          {fmt::format("{} PEs, large", pes), "fork", pes, 0, 3, {dtypes.back()}, large, {}});
    }
    add_lives(jobs, contract, eager, pes == counts.front());
    for (const int64_t seed : seeds) {
      Job job = late;
      job.name = fmt::format("{} PEs, seed {}", pes, seed);
      job.seed = seed;
      job.dtypes = some_of(dtypes, seed);
      job.environment = {{"SHMEM_SIM_SEED", std::to_string(seed)},
                         {"SHMEM_SIM_SLOW_PE", std::to_string(seed % pes)}};
      jobs.push_back(job);
    }
  }
  if (options.launchers && !counts.empty()) {
    for (const char* launcher : {"spawn", "torchrun"}) {
      jobs.push_back({fmt::format("{} PEs, {}", counts[0], launcher),
                      launcher,
                      counts[0],
                      0,
                      3,
                      {dtypes[0]},
                      {case_names(contract, false)[0]},
                      {}});
    }
  }
  return jobs;
}

}  // namespace shmem_bind::verify
