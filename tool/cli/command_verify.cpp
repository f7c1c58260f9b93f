#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"
#include "tool/verify/verify.h"

namespace shmem_bind::cli {
namespace {

verify::Options options_of(const Args& args) {
  verify::Options options;
  options.pes = args.pes;
  options.seeds = args.seeds;
  options.calls = args.calls;
  options.deadline_s = args.deadline_s;
  options.launchers = !args.fork_only;
  return options;
}

bool libraries_are_there(Environment& environment, const Operator& op, Outcome& outcome) {
  const binding::Places places = binding::places_of(op.contract);
  for (const std::string& path : {places.kernel_library, places.binding_library}) {
    const std::string library = below(op.tree, path);
    if (!environment.files.exists(library)) {
      outcome.exit_code = kExitBuild;
      outcome.messages +=
          fmt::format("{} is not there\n    way out: shmem-bind build {}\n", library, op.folder);
      return false;
    }
  }
  return true;
}

// Files of the operator's records.
std::string record(const Operator& op, const char* name) {
  return fmt::format("{}/{}/{}", op.tree, binding::places_of(op.contract).records, name);
}
constexpr const char* kVerified = "verified";
constexpr const char* kVerdict = "verdict.json";

// Of everything a verdict depends on: libraries, test, contract, CANN, what is run.
std::string fingerprint(Environment& environment, const Operator& op, const build::Target& target) {
  const binding::Places places = binding::places_of(op.contract);
  std::vector<std::string> paths = {below(op.tree, places.kernel_library),
                                    below(op.tree, places.binding_library),
                                    below(op.tree, places.test)};
  for (const char* library : {"libshmem_sim_core.so",
                              "libshmem_sim_ascendc.so",
                              "libshmem.so",
                              "libascendcl.so",
                              "libopapi.so"}) {
    paths.push_back(target.cann + "/lib64/" + library);
  }
  std::string all = op.contract.digest + target.torch_npu_version + target.cann_version;
  for (const std::string& path : paths) {
    const auto text = environment.files.read(path);
    all += path + (text.ok() ? digest(text.value()) : "");
  }
  for (const verify::Job& job : verify::plan_jobs(op.contract, options_of(environment.args))) {
    all += fmt::format("{} {} {};", job.name, job.calls, job.launcher);
  }
  return digest(all);
}

// The same libraries, test and simulator give the same verdict: `run` shows it again, `verify`
// earns it again.
bool show_earlier_verdict(Environment& environment,
                          const Operator& op,
                          const build::Target& target,
                          Outcome& outcome) {
  const auto earlier = environment.files.read(record(op, kVerified));
  const std::string key = fingerprint(environment, op, target) + "\n";
  if (!earlier.ok() || !earlier.value().starts_with(key)) {
    return false;
  }
  outcome.text += earlier.value().substr(key.size());
  outcome.text += fmt::format(
      "{}: nothing changed since that run; shmem-bind verify runs it again\n", op.contract.op_name);
  if (const auto verdict = environment.files.read(record(op, kVerdict)); verdict.ok()) {
    outcome.json.add_value("verdict", std::string(trimmed(verdict.value())));
  }
  outcome.json.add("unchanged", true);
  return true;
}

void keep_verdict(Environment& environment,
                  const Operator& op,
                  const build::Target& target,
                  const verify::Verdict& verdict,
                  Outcome& outcome) {
  const std::string kept =
      verdict.verified ? fingerprint(environment, op, target) + "\n" + verify::to_text(verdict)
                       : "";
  for (const auto& [path, text] : {std::pair{record(op, kVerdict), verify::to_json(verdict)},
                                   std::pair{record(op, kVerified), kept}}) {
    if (const auto written = environment.files.write(path, text, false); !written.ok()) {
      fail(outcome, written.failure());
    }
  }
}

// What a verdict fails by, in one line.
std::string first_problem(const verify::Verdict& verdict) {
  for (const verify::JobResult& item : verdict.jobs) {
    if (!item.passed) {
      return fmt::format(
          "{}: {}", item.job.name, item.problems.empty() ? "failed" : item.problems[0]);
    }
  }
  for (const auto* lines : {&verdict.findings, &verdict.problems}) {
    if (!lines->empty()) {
      return std::string(split_lines(lines->front()).front());
    }
  }
  return "nothing was verified";
}

void verify_operator(Environment& environment,
                     const Operator& op,
                     const build::Target& target,
                     Outcome& outcome) {
  const auto progress = [&](std::string_view line) {
    if (environment.args.verbose ||
        line.find("进度") != std::string_view::npos) {  // the generated test's progress lines
      environment.progress(fmt::format("  {}", line));
    }
  };
  const verify::Surroundings surroundings{
      op.tree, target, environment.files, environment.runner, progress};
  const verify::Verdict verdict =
      verify::run_verify(op.contract, options_of(environment.args), surroundings);
  outcome.text += verify::to_text(verdict);
  outcome.json.add_value("verdict", verify::to_json(verdict));
  if (!verdict.verified) {
    outcome.exit_code = kExitVerify;
    outcome.why = first_problem(verdict);
  }
  keep_verdict(environment, op, target, verdict, outcome);
}

}  // namespace

// 9 PEs asked of a contract for 8: found before anything starts.
bool pes_fit(const Args& args, const contract::Contract& contract, Outcome& outcome) {
  for (const int64_t pes : args.pes) {
    if (!contract.pe_counts.allows(pes)) {
      outcome.exit_code = kExitContract;
      outcome.messages += fmt::format(
          "--pes {}: the contract of {} allows n_pes {}\n    way out: other --pes, or "
          "torch_binding.n_pes\n",
          pes,
          contract.op_name,
          contract.pe_counts.text());
      return false;
    }
  }
  return true;
}

std::vector<int64_t> planned_pes(const Args& args, const contract::Contract& contract) {
  std::vector<int64_t> counts;
  for (const verify::Job& job : verify::plan_jobs(contract, options_of(args))) {
    if (std::find(counts.begin(), counts.end(), job.pes) == counts.end()) {
      counts.push_back(job.pes);
    }
  }
  return counts;
}

void verify_unless_unchanged(Environment& environment,
                             const Operator& op,
                             const build::Target& target,
                             Outcome& outcome) {
  if (!show_earlier_verdict(environment, op, target, outcome)) {
    verify_operator(environment, op, target, outcome);
  }
}

Outcome command_verify(Environment& environment) {
  Outcome outcome;
  const auto op = open_gated(environment, outcome);
  if (op && mode_is_right(*op, environment.files, outcome) &&
      pes_fit(environment.args, op->contract, outcome)) {
    const auto target = open_target(environment, outcome);
    if (target && libraries_are_there(environment, *op, outcome)) {
      verify_operator(environment, *op, *target, outcome);
    }
  }
  return outcome;
}

Outcome command_run(Environment& environment) {
  Outcome outcome;
  const auto op = open_gated(environment, outcome);
  if (!op || !pes_fit(environment.args, op->contract, outcome) ||
      !generate(environment, *op, outcome)) {
    return outcome;
  }
  environment.flush(outcome);
  const auto target = open_target(environment, outcome);
  environment.flush(outcome);
  if (target && build_operator(environment, *op, *target, outcome)) {
    environment.flush(outcome);
    verify_unless_unchanged(environment, *op, *target, outcome);
  }
  return outcome;
}

}  // namespace shmem_bind::cli
