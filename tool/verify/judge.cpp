#include "tool/verify/judge.h"

#include <algorithm>
#include <set>

#include "tool/base/text.h"

namespace shmem_bind::verify {
namespace {

using contract::Contract;
using Names = std::vector<std::string>;

void add_new(Names& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

// What some jobs touch, each in the order in which they come to it.
struct Coverage {
  Names pes;
  Names dtypes;
  Names cases;
  Names launchers;
  Names seeds;

  void add(const Job& job) {
    add_new(pes, std::to_string(job.pes));
    add_new(launchers, job.launcher);
    for (const std::string& dtype : job.dtypes) {
      add_new(dtypes, dtype);
    }
    for (const std::string& name : job.cases) {
      add_new(cases, name);
    }
    for (const auto& [name, value] : job.environment) {
      if (name == "SHMEM_SIM_SEED") {
        add_new(seeds, value);
      }
    }
  }
};

class Judge {
 public:
  Judge(const Contract& contract, const Options& options, Verdict& verdict)
      : contract_(contract), options_(options), verdict_(verdict) {
    Options all;
    all.full = options.full;
    for (const Job& job : plan_jobs(contract, all)) {
      wanted_.add(job);
    }
    for (const JobResult& result : verdict.jobs) {
      run_.add(result.job);
    }
  }

  void run() {
    verdict_.checks.clear();
    judge_jobs();
    judge_simulator();
    judge_preconditions();
    judge_versions();
    covers("pes", wanted_.pes, run_.pes, !options_.pes.empty());
    const bool has_fewer_pes = !options_.pes.empty();  // shapes can depend on them
    covers("dtypes", wanted_.dtypes, run_.dtypes, !options_.dtypes.empty());
    covers("cases", wanted_.cases, run_.cases, !options_.cases.empty() || has_fewer_pes);
    covers("launchers", wanted_.launchers, run_.launchers, !options_.launchers);
    judge_seeds();
    judge_mutants();
    verdict_.state = state_of(verdict_.checks);
  }

  void run_single() {
    verdict_.checks.clear();
    judge_jobs();
    judge_simulator();
    judge_preconditions();
    judge_versions();
    add("matrix", CheckState::kWaived, "single");
    verdict_.state = state_of(verdict_.checks);
  }

 private:
  void add(const char* name, CheckState state, const char* id, Names arguments = {}) {
    verdict_.checks.push_back({name, state, {std::string(name) + "." + id, std::move(arguments)}});
  }

  void judge_jobs() {
    Names failed;
    int64_t skipped = 0;
    int64_t records = 0;
    int64_t expected = 0;
    for (const JobResult& result : verdict_.jobs) {
      if (!result.skipped.empty()) {
        ++skipped;
      } else if (!result.passed) {
        failed.push_back(result.job.name);
      }
      records += result.records;
      expected += result.expected;
    }
    const std::string count = std::to_string(verdict_.jobs.size());
    if (verdict_.jobs.empty()) {
      add("jobs", CheckState::kFailed, "none");
    } else if (failed.empty() && skipped == 0) {
      add("jobs", CheckState::kPassed, "all", {count});
    } else {
      Names arguments = {
          std::to_string(failed.size()), count, failed.empty() ? "" : failed.front()};
      if (skipped > 0) {
        arguments.push_back(std::to_string(skipped));
      }
      add("jobs", CheckState::kFailed, skipped > 0 ? "skipped" : "failed", std::move(arguments));
    }
    if (records == expected && expected > 0) {
      add("records", CheckState::kPassed, "all", {std::to_string(records)});
    } else {
      add("records",
          CheckState::kFailed,
          "missing",
          {std::to_string(records), std::to_string(expected)});
    }
    if (verdict_.problems.empty()) {
      add("report", CheckState::kPassed, "complete");
    } else {
      add("report",
          CheckState::kFailed,
          "broken",
          {verdict_.problems.front().substr(0, verdict_.problems.front().find('\n'))});
    }
  }

  void judge_simulator() {
    if (!verdict_.findings.empty()) {
      add("simulator",
          CheckState::kFailed,
          "some",
          {std::to_string(verdict_.findings.size()), verdict_.findings.front()});
    } else if (verdict_.versions.simulated) {
      add("simulator", CheckState::kPassed, "none");
    }
  }

  void judge_preconditions() {
    for (const contract::Gate& gate : contract_.gates) {
      if (gate.passed) {
        verdict_.checks.push_back(
            {gate.name, CheckState::kPassed, {"evidence.given", {gate.name, gate.result}}});
      } else {  // verify has come so far, so --accept-unverified was given
        verdict_.checks.push_back(
            {gate.name, CheckState::kWaived, {"evidence.missing", {gate.name}}});
      }
    }
    if (contract_.golden) {
      add("oracle", CheckState::kPassed, "known", {golden_name(*contract_.golden)});
    } else {
      add("oracle", CheckState::kOpen, "none");
    }
    if (verdict_.warnings.empty()) {
      add("tree", CheckState::kPassed, "current");
    } else {
      const std::string& first = verdict_.warnings.front();
      add("tree",
          CheckState::kOpen,
          "differs",
          {std::to_string(verdict_.warnings.size()), first.substr(0, first.find_first_of(" :"))});
    }
  }

  static std::string golden_name(const contract::Golden& golden) {
    switch (golden.kind) {
      case contract::Golden::Kind::kCollective:
        return golden.collective;
      case contract::Golden::Kind::kDocument:
        return "docs/design.md";
      case contract::Golden::Kind::kFile:
        return golden.file + ":" + golden.function;
    }
    return "";
  }

  void judge_versions() {
    const std::string& loaded = verdict_.versions.torch_npu;
    if (loaded.empty()) {
      return;  // no worker came so far; the jobs say so
    }
    const std::string& installed = verdict_.versions.torch_npu_installed;
    if (loaded == installed) {
      add("versions", CheckState::kPassed, "same", {loaded});
    } else {
      add("versions", CheckState::kOpen, "differ", {loaded, installed});
    }
  }

  void covers(const char* name, const Names& wanted, const Names& run, bool is_asked) {
    Names missing;
    for (const std::string& item : wanted) {
      if (std::find(run.begin(), run.end(), item) == run.end()) {
        missing.push_back(item);
      }
    }
    if (missing.empty()) {
      add(name, CheckState::kPassed, "all", {joined(run, ", ")});
    } else {
      add(name,
          is_asked ? CheckState::kWaived : CheckState::kOpen,
          "missing",
          {joined(missing, ", ")});
    }
  }

  void judge_seeds() {
    if (!verdict_.versions.simulated) {
      add("seeds", CheckState::kPassed, "board");
    } else if (run_.seeds.empty()) {
      add("seeds", CheckState::kOpen, "none");
    } else {
      add("seeds", CheckState::kPassed, "all", {joined(run_.seeds, ", ")});
    }
  }

  void judge_mutants() {
    Names survivors;
    int64_t killed = 0;
    for (const Mutant& mutant : verdict_.mutants) {
      killed += mutant.state == "killed" ? 1 : 0;
      if (mutant.state == "survived" || mutant.state == "invalid") {
        survivors.push_back(mutant.id);
      }
    }
    if (!survivors.empty()) {
      add("mutants",
          CheckState::kOpen,
          "survived",
          {std::to_string(survivors.size()), joined(survivors, ", ")});
    } else if (!verdict_.mutants.empty()) {
      add("mutants",
          CheckState::kPassed,
          "killed",
          {std::to_string(killed), std::to_string(verdict_.mutants.size())});
    }
  }

  const Contract& contract_;
  const Options options_;
  Verdict& verdict_;
  Coverage wanted_;  // by a plan that leaves nothing out
  Coverage run_;
};

}  // namespace

State state_of(const std::vector<Check>& checks) {
  const auto has = [&](CheckState state) {
    return std::any_of(
        checks.begin(), checks.end(), [=](const Check& check) { return check.state == state; });
  };
  if (checks.empty() || has(CheckState::kFailed)) {
    return State::kFailed;
  }
  return has(CheckState::kOpen) || has(CheckState::kWaived) ? State::kUnverified : State::kVerified;
}

void judge_single(const contract::Contract& contract, Verdict& verdict) {
  Judge(contract, {}, verdict).run_single();
}

void judge(const contract::Contract& contract, const Options& options, Verdict& verdict) {
  Judge(contract, options, verdict).run();
}

}  // namespace shmem_bind::verify
