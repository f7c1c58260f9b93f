#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/verify/plan_parts.h"

// The whole matrix: every PE count, dtype and case of the contract, boundary shapes made of its
// symbols, everything an object lives through, and ten seeds over all dtypes.

namespace shmem_bind::verify {
namespace {

using contract::Contract;

// One job for the cases that are for the same dtypes.
std::vector<Job> boundary_jobs(const Job& eager, const std::vector<BoundaryCase>& cases) {
  std::vector<Job> jobs;
  for (const BoundaryCase& item : cases) {
    auto job = std::find_if(
        jobs.begin(), jobs.end(), [&](const Job& other) { return other.dtypes == item.dtypes; });
    if (job == jobs.end()) {
      job = jobs.insert(jobs.end(), eager);
      job->dtypes = item.dtypes;
      job->cases.clear();
      job->name = fmt::format("{} PEs, boundary shapes", eager.pes);
      if (item.dtypes != eager.dtypes) {
        job->name += ", " + joined(item.dtypes, " ");
      }
    }
    add_case(*job, item.test);
  }
  return jobs;
}

// Limits what `--dtypes` leaves of the contract.
std::vector<BoundaryCase> own_shapes(const Contract& contract,
                                     const Selection& selection,
                                     int64_t pes) {
  std::vector<BoundaryCase> cases;
  if (!selection.has_own_shapes) {
    return cases;
  }
  for (BoundaryCase& item : boundary_cases(contract, pes)) {
    std::erase_if(item.dtypes, [&](const std::string& dtype) {
      return std::count(selection.dtypes.begin(), selection.dtypes.end(), dtype) == 0;
    });
    if (!item.dtypes.empty()) {
      cases.push_back(std::move(item));
    }
  }
  return cases;
}

// Every dtype and two of the cases, other ones for each seed; never those of the stress kind.
Job seeded_part(const Job& eager, const std::vector<BoundaryCase>& own, size_t turn, int64_t seed) {
  std::vector<const BoundaryCase*> shapes;
  for (const BoundaryCase& item : own) {
    if (item.dtypes == eager.dtypes) {
      shapes.push_back(&item);
    }
  }
  Job job = seeded_job(eager, seed);
  job.cases.clear();
  const size_t count = eager.cases.size() + shapes.size();
  for (size_t i = 0; i < std::min<size_t>(2, count); ++i) {
    const size_t at = (2 * turn + i) % count;
    if (at < eager.cases.size()) {
      job.cases.push_back(eager.cases[at]);
    } else {
      add_case(job, shapes[at - eager.cases.size()]->test);
    }
  }
  return job;
}

}  // namespace

std::vector<Job> plan_full(const Contract& contract, const Selection& selection) {
  std::vector<Job> jobs;
  const auto add = [&jobs](const std::vector<Job>& more) {
    jobs.insert(jobs.end(), more.begin(), more.end());
  };
  for (const int64_t pes : selection.pes) {
    const Job eager = eager_job(selection, pes);
    const std::vector<BoundaryCase> own = own_shapes(contract, selection, pes);
    Job all = eager;
    all.name = fmt::format("{} PEs, every dtype and case", pes);
    for (const std::string& name : selection.stress) {
      if (std::count(all.cases.begin(), all.cases.end(), name) == 0) {
        all.cases.push_back(name);
      }
    }
    add({all});
    add(boundary_jobs(eager, own));
    add(zero_jobs(contract, selection, pes));
    add({late_job(eager),
         mixed_job(eager),
         streams_job(eager, selection),
         lives_job(eager, selection),
         wrong_calls_job(eager, contract, selection)});
    for (size_t turn = 0; turn < selection.seeds.size(); ++turn) {
      add({seeded_part(eager, own, turn, selection.seeds[turn])});
    }
  }
  return jobs;
}

}  // namespace shmem_bind::verify
