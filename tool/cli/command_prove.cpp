#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/base/tree_writer.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"
#include "tool/cli/verification.h"
#include "tool/prove/prove.h"
#include "tool/verify/drift.h"

namespace shmem_bind::cli {
namespace {

// Variants are made of what generate writes: a binding that somebody edited would not be proved.
bool is_as_generated(const Operator& op, FileSystem& files, Outcome& outcome) {
  const std::vector<std::string> drift = verify::drift_of(op.contract, op.tree, files);
  if (drift.empty()) {
    return true;
  }
  outcome.exit_code = kExitDiffers;
  outcome.messages += fmt::format(
      "{}\n    way out: shmem-bind diff {} shows it; generate --force replaces it, and what is "
      "wanted of it belongs into docs/design.md\n",
      joined(drift, "\n"),
      op.folder);
  return false;
}

void tell(const prove::Proof& proof, Outcome& outcome) {
  outcome.text += prove::to_text(proof);
  outcome.json.add_value("proof", std::string(trimmed(prove::to_json(proof))));
  if (proof.interrupted) {
    outcome.exit_code = 130;
    outcome.why = "interrupted";
    return;
  }
  if (!proof.holds()) {
    outcome.exit_code = kExitVerify;
    outcome.why = proof.reasons().front();
  }
}

void prove_operator(Environment& environment,
                    const Operator& op,
                    const build::Target& target,
                    Outcome& outcome) {
  const std::string folder = prove::proof_folder(op.contract, op.tree);
  const auto made = environment.files.write(
      folder + "/README", "Made by shmem-bind prove; it may be removed.\n", false);
  if (!made.ok()) {
    return fail(outcome, made.failure());
  }
  const auto lock = TreeWriter::open(folder, 0);
  if (!lock.ok()) {
    outcome.exit_code = kExitFailed;
    outcome.messages += fmt::format(
        "{}: another shmem-bind prove works in it\n    way out: wait until it has ended\n", folder);
    return;
  }
  const prove::Surroundings surroundings{
      op.tree, target, environment.files, environment.runner, [&](std::string_view line) {
        environment.progress(fmt::format("  {}", line));
      }};
  const prove::Proof proof = prove::run_prove(op.contract, {environment.args.only}, surroundings);
  tell(proof, outcome);
  if (!proof.is_whole || proof.interrupted) {
    return;  // a part says nothing of the whole
  }
  if (const auto written = environment.files.write(
          verify::proof_path(op.contract, op.tree), prove::to_json(proof), false);
      !written.ok()) {
    fail(outcome, written.failure());
  }
}

}  // namespace

Outcome command_prove(Environment& environment) {
  Outcome outcome;
  const auto op = open_gated(environment, outcome);
  if (!op || !mode_is_right(*op, environment.files, outcome) ||
      !is_as_generated(*op, environment.files, outcome)) {
    return outcome;
  }
  const auto target = open_target(environment, outcome);
  if (target && libraries_are_there(environment, *op, outcome)) {
    prove_operator(environment, *op, *target, outcome);
  }
  return outcome;
}

}  // namespace shmem_bind::cli
