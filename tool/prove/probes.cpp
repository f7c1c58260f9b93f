#include "tool/prove/probes.h"

#include <algorithm>

namespace shmem_bind::prove {
namespace {

constexpr Probe kAll[] = {Probe::kFirst,
                          Probe::kCases,
                          Probe::kWrongCalls,
                          Probe::kStreams,
                          Probe::kLives,
                          Probe::kOrders,
                          Probe::kLarge,
                          Probe::kShapes};

// With more PEs: eagerly, with one PE late, and two of the adversarial orders.
bool is_enough(const verify::Job& job, const verify::Job& eager) {
  return !job.mixed && !job.side_streams && !job.wrong_calls && job.cases == eager.cases &&
         job.seed <= 2;
}

Probe probe_of(const verify::Job& job, const verify::Job& eager) {
  if (job.pes != eager.pes) {
    return Probe::kMore;
  }
  if (job.wrong_calls) {
    return Probe::kWrongCalls;
  }
  if (job.side_streams) {
    return Probe::kStreams;
  }
  if (job.lives > 1) {
    return Probe::kLives;
  }
  if (job.mixed) {
    return Probe::kShapes;
  }
  if (job.cases != eager.cases) {
    return Probe::kLarge;
  }
  return job.environment.empty() ? Probe::kCases : Probe::kOrders;
}

}  // namespace

Probes probes_of(const contract::Contract& contract) {
  verify::Options options;
  options.launchers = false;  // how the PEs are started makes no difference to a variant
  const std::vector<verify::Job> jobs = verify::plan_jobs(contract, options);
  Probes probes;
  if (jobs.empty()) {
    return probes;
  }
  verify::Job first = jobs.front();  // a part of the first job
  first.name += ", first case";
  first.cases = {first.cases.front()};
  probes[Probe::kFirst] = {first};
  for (const verify::Job& job : jobs) {
    if (job.pes == first.pes || is_enough(job, jobs.front())) {
      probes[probe_of(job, jobs.front())].push_back(job);
    }
  }
  return probes;
}

std::vector<std::string> provoked_by(const Probes& probes) {
  std::vector<std::string> texts;
  const auto found = probes.find(Probe::kWrongCalls);
  if (found == probes.end()) {
    return texts;
  }
  for (const verify::Job& job : found->second) {
    for (const auto& [text, values] : job.refused) {
      texts.push_back(text);
    }
  }
  return texts;
}

std::vector<verify::Job> jobs_for(const Variant& variant, const Probes& probes) {
  std::vector<Probe> order = variant.probes;
  for (const Probe probe : kAll) {
    if (std::find(order.begin(), order.end(), probe) == order.end()) {
      order.push_back(probe);
    }
  }
  if (variant.equivalent.empty()) {
    order.push_back(Probe::kMore);
  }
  std::vector<verify::Job> jobs;
  for (const Probe probe : order) {
    if (const auto found = probes.find(probe); found != probes.end()) {
      jobs.insert(jobs.end(), found->second.begin(), found->second.end());
    }
  }
  return jobs;
}

}  // namespace shmem_bind::prove
