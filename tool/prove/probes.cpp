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
                          Probe::kShapes};

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
  if (job.mixed || job.cases != eager.cases) {
    return Probe::kShapes;
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
    probes[probe_of(job, jobs.front())].push_back(job);
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

std::vector<std::vector<Probe>> rounds_of(const Variant& variant) {
  std::vector<std::vector<Probe>> rounds = {{}, {}, {}, {Probe::kMore}};
  for (size_t i = 0; i < variant.probes.size(); ++i) {
    rounds[i == 0 ? 0 : 1].push_back(variant.probes[i]);
  }
  for (const Probe probe : kAll) {
    if (std::find(variant.probes.begin(), variant.probes.end(), probe) == variant.probes.end()) {
      rounds[2].push_back(probe);
    }
  }
  return rounds;
}

}  // namespace shmem_bind::prove
