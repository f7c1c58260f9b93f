#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/lint_tree.h"
#include "tool/cli/tree.h"
#include "tool/lint/rules.h"
#include "tool/prove/prove.h"

namespace shmem_bind::cli {
namespace {

std::vector<std::string> lint_codes(Environment& environment, const std::string& folder) {
  std::vector<std::string> codes;
  const auto tree = read_lint_tree(folder, environment.files, environment.runner);
  if (tree.ok()) {
    for (const Diagnostic& diagnostic : lint::check(tree.value().facts).list()) {
      codes.emplace_back(diagnostic.rule->code);
    }
  }
  return codes;
}

void tell(const prove::Proof& proof, Outcome& outcome) {
  outcome.text += prove::to_text(proof);
  outcome.json.add_value("proof", std::string(trimmed(prove::to_json(proof))));
  if (proof.holds()) {
    return;
  }
  outcome.exit_code = kExitVerify;
  outcome.why = proof.problems.empty() ? "wrong variants survived" : proof.problems.front();
}

}  // namespace

Outcome command_prove(Environment& environment) {
  Outcome outcome;
  const auto op = open_gated(environment, outcome);
  if (!op || !mode_is_right(*op, environment.files, outcome)) {
    return outcome;
  }
  const auto target = open_target(environment, outcome);
  if (!target) {
    return outcome;
  }
  const binding::Places places = binding::places_of(op->contract);
  if (!environment.files.exists(below(op->tree, places.kernel_library))) {
    outcome.exit_code = kExitBuild;
    outcome.messages += fmt::format("{} is not there\n    way out: shmem-bind build {}\n",
                                    below(op->tree, places.kernel_library),
                                    op->folder);
    return outcome;
  }
  const prove::Surroundings surroundings{
      op->tree,
      *target,
      environment.files,
      environment.runner,
      [&](std::string_view line) { environment.progress(fmt::format("  {}", line)); },
      [&](const std::string& folder) { return lint_codes(environment, folder); }};
  const prove::Proof proof = prove::run_prove(op->contract, {environment.args.only}, surroundings);
  tell(proof, outcome);
  const std::string path = fmt::format("{}/{}/prove.json", op->tree, places.records);
  if (const auto written = environment.files.write(path, prove::to_json(proof), false);
      !written.ok()) {
    fail(outcome, written.failure());
  }
  return outcome;
}

}  // namespace shmem_bind::cli
