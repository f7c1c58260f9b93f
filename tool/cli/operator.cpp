#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/base/tree_writer.h"
#include "tool/cli/command.h"
#include "tool/contract/errors.h"

namespace shmem_bind::cli {
namespace {

constexpr const char* kDesign = "docs/design.md";

std::string parent_of(const std::string& path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

// The folder of the operator that `path` names: itself, or the one above docs/design.md.
Result<std::string> operator_folder(const std::string& path, FileSystem& files) {
  std::string folder = absolute_path(path);
  while (folder.size() > 1 && folder.back() == '/') {
    folder.pop_back();
  }
  if (!files.exists(folder)) {
    return Failure{fmt::format(
        "cannot read {}: there is no such file or folder; give the operator's folder", path)};
  }
  if (files.is_folder(folder)) {
    return folder;
  }
  const std::string docs = parent_of(folder);
  return docs.ends_with("/docs") ? parent_of(docs) : docs;
}

// Adds the file under the name a person would use for it: the path as given, continued.
Result<int> add_text(Operator& op,
                     const std::string& shown,
                     const std::string& relative,
                     FileSystem& files) {
  auto text = files.read(op.folder + "/" + relative);
  if (!text.ok()) {
    return text.failure();
  }
  return op.sources.texts.add(shown + "/" + relative, std::move(text.value()));
}

// The headers of src/. Operators of a SHMEM source tree may have none: their kernel then lies
// beside their CMakeLists.txt.
std::vector<std::string> headers_of(const Operator& op, FileSystem& files) {
  std::vector<std::string> headers;
  for (const char* folder : {"src/", ""}) {
    if (*folder == '\0' && (!headers.empty() || op.mode != contract::BuildMode::kInTreeExample)) {
      continue;
    }
    for (const std::string& name : files.list(op.folder + "/" + folder)) {
      if (name.ends_with(".h") && !files.is_folder(op.folder + "/" + folder + name)) {
        headers.push_back(folder + name);
      }
    }
  }
  return headers;
}

Result<Done> read_files(Operator& op, const std::string& shown, FileSystem& files) {
  if (files.exists(op.folder + "/docs/status.yaml")) {
    const auto added = add_text(op, shown, "docs/status.yaml", files);
    if (!added.ok()) {
      return added.failure();
    }
    op.sources.status = added.value();
  }
  for (const std::string& header : headers_of(op, files)) {
    const auto added = add_text(op, shown, header, files);
    if (!added.ok()) {
      return added.failure();
    }
    op.sources.headers.push_back({added.value(), header});
  }
  return Done{};
}

// The golden is run by the generated test: a missing file is found here, not there.
bool golden_is_there(Operator& op, FileSystem& files) {
  const std::optional<contract::Golden>& golden = op.contract.golden;
  if (!golden || golden->kind != contract::Golden::Kind::kFile ||
      files.exists(op.folder + "/" + golden->file)) {
    return true;
  }
  op.diagnostics.add(contract::kUnknownGolden,
                     golden->span,
                     fmt::format("there is no {} in the operator's folder", golden->file));
  return false;
}

std::vector<std::string> missing_gates(const contract::Contract& contract) {
  std::vector<std::string> missing;
  for (const contract::Gate& gate : contract.gates) {
    if (!gate.passed) {
      missing.push_back(fmt::format(
          "status.{} is {}", gate.name, gate.result.empty() ? "missing" : "'" + gate.result + "'"));
    }
  }
  return missing;
}

// True when the gates let the command go on; the outcome names what is missing either way.
bool pass_gates(const Args& args, const Operator& op, Outcome& outcome) {
  const std::vector<std::string> missing = missing_gates(op.contract);
  if (missing.empty()) {
    return true;
  }
  outcome.json.add_value("missing_evidence", json_texts(missing));
  if (args.accept_unverified) {
    outcome.messages += fmt::format("going on unverified: {}\n", joined(missing, ", "));
    return true;
  }
  outcome.exit_code = kExitGate;
  outcome.messages += fmt::format(
      "evidence is missing: {}\n"
      "    way out: write it into {}/{}, or into docs/status.yaml:\n"
      "      status:\n"
      "        correctness: {{result: passed, evidence: \"<where the evaluation lies>\"}}\n"
      "        review: {{result: passed, evidence: \"<where the review lies>\"}}\n"
      "    or go on with --accept-unverified; every verdict will say so\n",
      joined(missing, ", "),
      op.folder,
      kDesign);
  return false;
}

}  // namespace

Result<Operator> open_operator(const std::string& path, FileSystem& files) {
  const auto folder = operator_folder(path, files);
  if (!folder.ok()) {
    return folder.failure();
  }
  Operator op;
  op.folder = folder.value();
  op.name = op.folder.substr(op.folder.rfind('/') + 1);
  const std::string above = parent_of(op.folder);
  const bool in_tree =
      above.ends_with("/examples") && files.exists(above + "/torch_binding/CMakeLists.txt");
  op.mode =
      in_tree ? contract::BuildMode::kInTreeExample : contract::BuildMode::kIndependentProject;
  op.tree = above.ends_with("/custom-ops") || in_tree ? parent_of(above) : above;
  if (TreeWriter::is_interrupted(op.tree)) {  // no command looks at half of a change
    if (const auto settled = TreeWriter::open(op.tree); !settled.ok()) {
      return settled.failure();
    }
  }
  op.sources.operator_folder = op.folder;
  std::string shown = files.is_folder(absolute_path(path)) ? path : op.folder;
  while (shown.size() > 1 && shown.back() == '/') {
    shown.pop_back();
  }
  if (!files.exists(op.folder + "/" + kDesign)) {
    op.sources.design = op.sources.texts.add(shown + "/" + kDesign, "");
    op.diagnostics.add(contract::kNoDesign, {op.sources.design, 0, 0}, shown);
    return op;
  }
  const auto design = add_text(op, shown, kDesign, files);
  if (!design.ok()) {
    return design.failure();
  }
  op.sources.design = design.value();
  if (const auto read = read_files(op, shown, files); !read.ok()) {
    return read.failure();
  }
  if (auto read = contract::read_contract(op.sources, op.diagnostics)) {
    op.contract = std::move(*read);
    op.is_valid = golden_is_there(op, files);
  }
  return op;
}

std::optional<Operator> open_gated(Environment& environment, Outcome& outcome) {
  auto op = open_operator(environment.args.path, environment.files);
  if (!op.ok()) {
    fail(outcome, op.failure());
    return std::nullopt;
  }
  report(op.value(), outcome);
  if (!op.value().is_valid) {
    outcome.exit_code = kExitContract;
    return std::nullopt;
  }
  op.value().contract.seed_includes |= environment.args.seed_includes;
  const contract::Contract& contract = op.value().contract;
  outcome.json.add("operator", contract.op_name);
  const bool named = environment.args.command != CommandName::kBatch;
  if (!contract.torch_required.value_or(named)) {
    const char* state = contract.torch_required ? "false" : "not set";
    outcome.why = fmt::format("meta.torch_required is {}", state);
    outcome.skipped = contract.op_name;
    outcome.json.add("skipped", fmt::format("torch_required is {}", state));
    outcome.text += fmt::format("{}: skipped, {}\n", contract.op_name, outcome.why);
    return std::nullopt;
  }
  if (!contract.torch_required) {
    outcome.messages +=
        "meta.torch_required is not set; going on because this operator was named\n";
  }
  if (!pass_gates(environment.args, op.value(), outcome)) {
    return std::nullopt;
  }
  return std::move(op.value());
}

void report(const Operator& op, Outcome& outcome) {
  for (const Diagnostic& diagnostic : op.diagnostics.list()) {
    outcome.messages += to_text(diagnostic, op.sources.texts);
  }
  outcome.json.add_value("diagnostics",
                         std::string(trimmed(to_json(op.diagnostics, op.sources.texts))));
}

void fail(Outcome& outcome, const Failure& failure) {
  outcome.exit_code = kExitFailed;
  outcome.messages += "shmem-bind: " + failure.text + "\n";
  outcome.json.add("failure", failure.text);
}

}  // namespace shmem_bind::cli
