#include <fmt/format.h>

#include <algorithm>

#include "tool/base/line_diff.h"
#include "tool/base/tree_writer.h"
#include "tool/binding/file_set.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"

namespace shmem_bind::cli {
namespace {

using binding::PlannedFile;
using binding::Texts;

std::string_view word_of(PlannedFile::Action action) {
  switch (action) {
    case PlannedFile::Action::kCreate:
      return "create";
    case PlannedFile::Action::kUpdate:
      return "update";
    case PlannedFile::Action::kUnchanged:
      return "unchanged";
    case PlannedFile::Action::kConflict:
      return "conflict";
  }
  return "";
}

// Two classes of one name cannot be registered in one library (docs/contract.md, names). An
// operator whose own source registers the class came first: another one was refused then, so that a
// run with nothing to do does not read the sources of all operators.
std::string class_taken_by(const Operator& op, FileSystem& files) {
  const std::string binding = binding::places_of(op.contract).binding;
  const std::string registration =
      fmt::format("REGISTER_SHMEM_OPS_CLASS({},", op.contract.class_name);
  const auto registers = [&](const std::string& source) {
    const auto text = files.read(below(op.tree, source));
    return text.ok() && text.value().find(registration) != std::string::npos;
  };
  const auto source_of = [&](const std::string& name) {
    return fmt::format("{}/src/torch_bind_{}.cpp", binding, name);
  };
  if (const std::string shared = binding + "/src/torch_bindings.cpp"; registers(shared)) {
    return below(op.tree, shared);
  }
  if (registers(source_of(op.contract.op_name))) {
    return "";
  }
  for (const std::string& other : other_sources(op, binding, files)) {
    if (registers(source_of(other))) {
      return below(op.tree, source_of(other));
    }
  }
  return "";
}

// Lists every conflict at once; true when there is none, or --force stands.
bool settle_conflicts(const Args& args, const binding::Plan& plan, Outcome& outcome) {
  bool settled = true;
  for (const auto& [path, file] : plan) {
    if (file.action == PlannedFile::Action::kConflict) {
      outcome.messages +=
          fmt::format("{}: {}{}\n", path, file.reason, args.force ? ", replaced (--force)" : "");
      settled = args.force;
    }
  }
  if (!settled) {
    outcome.exit_code = kExitDiffers;
    outcome.messages +=
        "nothing was written\n    way out: shmem-bind diff shows what would change; --force "
        "replaces these files\n";
  }
  return settled;
}

// The files that the plan changes, and beside them what people wrote and --force replaces.
std::vector<TreeFile> changes_of(const binding::Plan& plan,
                                 const Texts& texts,
                                 const std::string& tree,
                                 Environment& environment,
                                 Outcome& outcome) {
  std::vector<TreeFile> changes;
  for (const auto& [path, file] : plan) {
    if (file.action == PlannedFile::Action::kUnchanged) {
      continue;
    }
    changes.push_back({path, file.text, file.executable});
    if (file.action == PlannedFile::Action::kConflict) {
      const std::string& old = texts.at(path);
      changes.push_back({aside(path, old, tree, environment.files), old, false});
      outcome.messages += fmt::format("{}: {} kept as {}\n",
                                      path,
                                      environment.args.dry_run ? "would be" : "is",
                                      changes.back().path);
    }
  }
  return changes;
}

// Why a file would change: what the person changed, or what we changed.
std::string_view kind_of(const PlannedFile& file, const std::string& old) {
  if (file.action == PlannedFile::Action::kConflict) {
    return "hand edit";
  }
  const std::string version = fmt::format("shmem-bind {}:", binding::kToolVersion);
  const bool other_version = old.find(" Written by shmem-bind ") != std::string::npos &&
                             old.find(version) == std::string::npos;
  return other_version ? "generator" : "contract";
}

}  // namespace

std::optional<binding::Plan> unchanged_plan(const Operator& op, FileSystem& files) {
  auto proposal = propose(op, files);
  if (!proposal.ok() || !proposal.value().tree.problems.empty() ||
      !class_taken_by(op, files).empty()) {
    return std::nullopt;
  }
  binding::Plan& plan = proposal.value().tree.plan;
  const bool unchanged = std::all_of(plan.begin(), plan.end(), [](const auto& entry) {
    return entry.second.action == PlannedFile::Action::kUnchanged;
  });
  return unchanged ? std::optional(std::move(plan)) : std::nullopt;
}

void tell_plan(const Args& args, const binding::Plan& plan, Outcome& outcome) {
  int written = 0;
  std::vector<std::string> entries;
  for (const auto& [path, file] : plan) {
    entries.push_back(JsonObject().add("path", path).add("action", word_of(file.action)).text());
    if (file.action == PlannedFile::Action::kUnchanged) {
      continue;
    }
    ++written;
    outcome.text +=
        fmt::format("{}{} {}\n", args.dry_run ? "would " : "", word_of(file.action), path);
  }
  outcome.json.add_value("files", json_list(entries));
  outcome.text += written == 0 ? fmt::format("generate: {} files, nothing to write\n", plan.size())
                               : fmt::format("generate: {} of {} files {}\n",
                                             written,
                                             plan.size(),
                                             args.dry_run ? "would be written" : "written");
}

bool generate(Environment& environment, const Operator& op, Outcome& outcome) {
  auto writer = TreeWriter::open(op.tree);  // from here on nobody else writes into the tree
  if (!writer.ok()) {
    fail(outcome, writer.failure());
    return false;
  }
  if (const std::string other = class_taken_by(op, environment.files); !other.empty()) {
    outcome.exit_code = kExitContract;
    outcome.messages +=
        fmt::format("the class name {} is taken by {}\n    way out: torch_binding.class_name\n",
                    op.contract.class_name,
                    other);
    return false;
  }
  const auto proposal = propose(op, environment.files);
  if (!proposal.ok()) {
    fail(outcome, proposal.failure());
    return false;
  }
  const binding::Texts& texts = proposal.value().texts;
  const auto& [plan, problems] = proposal.value().tree;
  if (!settle_problems(problems, texts, outcome)) {
    outcome.messages += "nothing was written\n";
    return false;
  }
  if (!settle_conflicts(environment.args, plan, outcome)) {
    return false;
  }
  const auto changes = changes_of(plan, texts, op.tree, environment, outcome);
  if (!environment.args.dry_run) {
    if (const auto written = writer.value().write(changes); !written.ok()) {
      fail(outcome, written.failure());
      return false;
    }
  }
  tell_plan(environment.args, plan, outcome);
  return true;
}

Outcome command_generate(Environment& environment) {
  Outcome outcome;
  if (const auto op = open_gated(environment, outcome)) {
    generate(environment, *op, outcome);
  }
  return outcome;
}

Outcome command_diff(Environment& environment) {
  Outcome outcome;
  auto op = open_operator(environment.args.path, environment.files);
  if (!op.ok()) {
    fail(outcome, op.failure());
    return outcome;
  }
  report(op.value(), outcome);
  if (!op.value().is_valid) {
    outcome.exit_code = kExitContract;
    return outcome;
  }
  op.value().contract.seed_includes |= environment.args.seed_includes;
  const contract::Contract& contract = op.value().contract;
  const auto proposal = propose(op.value(), environment.files);
  if (!proposal.ok()) {
    fail(outcome, proposal.failure());
    return outcome;
  }
  const binding::Texts& texts = proposal.value().texts;
  const auto& [plan, problems] = proposal.value().tree;
  if (!settle_problems(problems, texts, outcome)) {
    return outcome;
  }
  std::vector<std::string> entries;
  for (const auto& [path, file] : plan) {
    if (file.action == PlannedFile::Action::kUnchanged) {
      continue;
    }
    const auto found = texts.find(path);
    const bool fresh = found == texts.end();
    const std::string old = fresh ? "" : found->second;
    const std::string_view kind = fresh ? "new file" : kind_of(file, old);
    const std::string diff = line_diff(old, file.text);
    outcome.text += fmt::format("--- {} ({})\n+++ generated\n{}", path, kind, diff);
    entries.push_back(JsonObject().add("path", path).add("kind", kind).add("diff", diff).text());
    outcome.exit_code = kExitDiffers;
  }
  outcome.json.add("operator", contract.op_name).add_value("files", json_list(entries));
  return outcome;
}

}  // namespace shmem_bind::cli
