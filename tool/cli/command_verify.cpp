#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"
#include "tool/cli/verification.h"
#include "tool/verify/boundary_cases.h"
#include "tool/verify/mutant.h"

namespace shmem_bind::cli {
namespace {

// The key of the last verdict that `run` may show again.
constexpr const char* kVerified = "verified";

// Of everything a verdict depends on: libraries, test, contract, CANN, what is run.
std::string fingerprint(Environment& environment, const Operator& op, const build::Target& target) {
  const binding::Places places = binding::places_of(op.contract);
  std::vector<std::string> paths = {below(op.tree, places.kernel_library),
                                    below(op.tree, places.binding_library),
                                    below(op.tree, places.test),
                                    verify::proof_path(op.contract, op.tree)};
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
  for (const contract::Gate& gate : op.contract.gates) {
    all += gate.name + gate.result;
  }
  for (const verify::Job& job : verify::plan_jobs(op.contract, options_of(environment.args))) {
    all += fmt::format("{} {} {} {} {};",
                       job.name,
                       job.calls,
                       job.launcher,
                       joined(job.dtypes, ","),
                       joined(job.cases, ","));
  }
  return digest(all);
}

// The same libraries, test and simulator give the same verdict: `run` shows it again, `verify`
// earns it again.
bool show_earlier_verdict(Environment& environment,
                          const Operator& op,
                          const build::Target& target,
                          Outcome& outcome) {
  const auto key = environment.files.read(record(op, kVerified));
  const auto text = environment.files.read(record(op, kVerdict));
  if (!key.ok() || !text.ok() ||
      key.value() != fingerprint(environment, op, target) + digest(text.value()) + "\n") {
    return false;
  }
  const auto verdict = verify::read_verdict(text.value(), record(op, kVerdict));
  if (!verdict.ok()) {
    return false;
  }
  tell_verdict(environment, verdict.value(), outcome);
  outcome.text += fmt::format(
      "{}: nothing changed since that run; shmem-bind verify runs it again\n", op.contract.op_name);
  outcome.json.add("unchanged", true);
  return true;
}

void keep_verdict(Environment& environment,
                  const Operator& op,
                  const build::Target& target,
                  const verify::Verdict& verdict,
                  Outcome& outcome) {
  const std::string text = verify::to_json(verdict);
  // A tree that differs can be put in order without a change of the libraries.
  const bool is_kept = verdict.state != verify::State::kFailed && verdict.warnings.empty();
  const std::string key =
      !is_kept ? "" : fingerprint(environment, op, target) + digest(text) + "\n";
  for (const auto& [name, content] : {std::pair{kVerdict, text}, std::pair{kVerified, key}}) {
    const auto written = environment.files.write(record(op, name), content, false);
    if (!written.ok()) {
      fail(outcome, written.failure());
    }
  }
}

bool names_fit(const char* option,
               const std::vector<std::string>& asked,
               const std::vector<std::string>& known,
               const contract::Contract& contract,
               Outcome& outcome) {
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      outcome.exit_code = kExitUsage;
      outcome.messages += fmt::format("{} {}: the contract of {} has {}\n",
                                      option,
                                      name,
                                      contract.op_name,
                                      joined(known, ", "));
      return false;
    }
  }
  return true;
}

void verify_operator(Environment& environment,
                     const Operator& op,
                     const build::Target& target,
                     Outcome& outcome) {
  const verify::Verdict verdict = verify::run_verify(
      op.contract, options_of(environment.args), surroundings_of(environment, op, target));
  tell_verdict(environment, verdict, outcome);
  keep_verdict(environment, op, target, verdict, outcome);
}

}  // namespace

// 9 PEs asked of a contract for 8, or a case it has not: found before anything starts.
bool options_fit(const Args& args, const contract::Contract& contract, Outcome& outcome) {
  std::vector<std::string> cases;
  for (const contract::Case& item : contract.cases) {
    cases.push_back(item.name);
  }
  if (!names_fit("--dtypes", args.dtypes, verify::dtype_names(contract), contract, outcome) ||
      !names_fit("--cases", args.cases, cases, contract, outcome)) {
    return false;
  }
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
  tell_skip(environment, outcome);
  if (op && mode_is_right(*op, environment.files, outcome) &&
      options_fit(environment.args, op->contract, outcome)) {
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
  tell_skip(environment, outcome);
  if (!op || !options_fit(environment.args, op->contract, outcome) ||
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
