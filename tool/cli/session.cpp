#include "tool/cli/session.h"

#include <fmt/format.h>

#include <cstdio>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/build/plan.h"
#include "tool/build/run.h"
#include "tool/contract/check.h"
#include "tool/contract/document.h"

namespace shmem_bind::cli {
namespace {

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

Session::Session(Arguments arguments, FileSystem& files, ProcessRunner& runner)
    : arguments_(std::move(arguments)), files_(files), runner_(runner) {}

void Session::say(const std::string& text) const {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void Session::print(const std::string& text) const {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int Session::run() {
  if (!read_operator_folder()) {
    return kFindings;
  }
  if (arguments_.command == "check") {
    return check();
  }
  if (arguments_.command == "generate") {
    return generate();
  }
  if (arguments_.command == "diff") {
    return diff();
  }
  if (arguments_.command == "build") {
    return build();
  }
  return arguments_.command == "verify" ? verify() : run_all();
}

bool Session::read_operator_folder() {
  std::string path = absolute_path(arguments_.op);
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  if (path.ends_with("/design.md") && !files_.is_folder(path)) {
    path = parent(parent(path));
  }
  folder_ = path;
  tree_ = parent(parent(path));
  auto text = files_.read(folder_ + "/docs/design.md");
  if (!text.ok()) {
    say(fmt::format("shmem-bind: {}\n    way out: give the folder of an operator (with docs/design.md in it), or the design.md itself\n",
                    text.failure().text));
    return false;
  }
  texts_.add(fmt::format("{}/docs/design.md", arguments_.op.ends_with("design.md") ? folder_ : arguments_.op), text.value());
  return true;
}

std::optional<int> Session::load() {
  const auto document = contract::read_document(texts_, 0, diagnostics_);
  if (document) {
    contract::HeaderSource header;
    header.path = fmt::format("src/{}_kernel.h", document->op_name);
    if (auto text = files_.read(folder_ + "/" + header.path); text.ok()) {
      header.source = texts_.add(arguments_.op + "/" + header.path, text.value());
    }
    contract_ = contract::check(*document, texts_, header, diagnostics_);
    const bool in_place = folder_.ends_with("/custom-ops/" + document->op_name);
    if (contract_ && !in_place) {
      say(fmt::format("shmem-bind: the operator lies in {}; an independent_project operator lies in custom-ops/{}\n", folder_,
                      document->op_name));
      return kFindings;
    }
  }
  print_findings();
  if (!contract_) {
    return kFindings;
  }
  if (contract_->torch_required == false) {
    say(fmt::format("shmem-bind: {}: skipped, meta.torch_required is false\n", contract_->op_name));
    return kDone;
  }
  if (!contract_->torch_required) {
    say(fmt::format("shmem-bind: {}: meta.torch_required is not said; going on because the operator was named\n", contract_->op_name));
  }
  return std::nullopt;
}

void Session::print_findings() {
  if (arguments_.json) {
    if (arguments_.command == "check" || diagnostics_.has_errors()) {
      print(to_json(diagnostics_, texts_));
    }
    return;
  }
  for (const Diagnostic& item : diagnostics_.list()) {
    say(to_text(item, texts_));
  }
}

std::optional<int> Session::gates() {
  std::vector<std::string> missing;
  for (const contract::Gate& gate : contract_->gates) {
    if (!gate.passed) {
      missing.push_back(fmt::format("status.{}{}", gate.name, gate.result.empty() ? " is missing" : " is \"" + gate.result + "\""));
    }
  }
  if (missing.empty()) {
    return std::nullopt;
  }
  say(fmt::format("shmem-bind: {}: gate: {}\n    way out: write the evidence into the status section of docs/design.md, e.g. "
                  "status: {{correctness: {{result: passed, evidence: …}}, review: {{result: passed, evidence: …}}}}, or go on with "
                  "--accept-unverified\n",
                  contract_->op_name, joined(missing, ", ")));
  return arguments_.accept_unverified ? std::nullopt : std::optional<int>(kGate);
}

std::optional<int> Session::find_target() {
  auto target = build::find_target(arguments_.target, files_, runner_);
  if (!target.ok()) {
    say("shmem-bind: " + target.failure().text + "\n");
    return kFailed;
  }
  target_ = target.value();
  return std::nullopt;
}

int Session::check() {
  if (const auto code = load()) {
    return *code;
  }
  if (!arguments_.json) {
    std::string gates;
    for (const contract::Gate& gate : contract_->gates) {
      gates += fmt::format("  gate {}: {}\n", gate.name, gate.passed ? "passed" : gate.result.empty() ? "missing" : gate.result);
    }
    print(fmt::format("{}: {}, {}\n{}", contract_->op_name, contract_->class_name, contract_->entry.qualified_name, gates));
  }
  return kDone;
}

namespace {

std::map<std::string, std::string> existing_files(const std::string& tree, const binding::FileSet& set, FileSystem& files) {
  std::map<std::string, std::string> existing;
  for (const auto& [path, file] : set) {
    if (auto text = files.read(tree + "/" + path); text.ok()) {
      existing[path] = text.value();
    }
  }
  return existing;
}

std::string_view action_name(binding::PlannedFile::Action action) {
  switch (action) {
    case binding::PlannedFile::Action::kCreate: return "create";
    case binding::PlannedFile::Action::kUpdate: return "update";
    case binding::PlannedFile::Action::kUnchanged: return "unchanged";
    case binding::PlannedFile::Action::kConflict: return "conflict";
  }
  return "";
}

}  // namespace

int Session::diff() {
  if (const auto code = load()) {
    return *code;
  }
  const binding::FileSet set = binding::emit(*contract_);
  bool differs = false;
  for (const auto& [path, planned] : binding::plan_write(set, contract_->op_name, existing_files(tree_, set, files_))) {
    if (planned.action != binding::PlannedFile::Action::kUnchanged) {
      differs = true;
      print(fmt::format("{:<9} {}{}\n", action_name(planned.action), path, planned.reason.empty() ? "" : "  (" + planned.reason + ")"));
    }
  }
  return differs ? kDiffers : kDone;
}

int Session::generate() {
  if (!contract_) {
    if (const auto code = load()) {
      return *code;
    }
  }
  if (const auto code = gates()) {
    return *code;
  }
  const binding::FileSet set = binding::emit(*contract_);
  const binding::Plan plan = binding::plan_write(set, contract_->op_name, existing_files(tree_, set, files_));
  int written = 0;
  int unchanged = 0;
  std::string conflicts;
  for (const auto& [path, planned] : plan) {
    if (planned.action == binding::PlannedFile::Action::kConflict && !arguments_.force) {
      conflicts += fmt::format("  {}: {}\n", path, planned.reason);
    }
  }
  if (!conflicts.empty()) {
    say("shmem-bind: nothing was written, because these files would lose changes:\n" + conflicts +
        "    way out: keep a copy, then run generate --force\n");
    return kFailed;
  }
  for (const auto& [path, planned] : plan) {
    if (planned.action == binding::PlannedFile::Action::kUnchanged) {
      ++unchanged;
      continue;
    }
    print(fmt::format("{} {}\n", action_name(planned.action), path));
    if (!arguments_.dry_run) {
      if (auto done = files_.write(tree_ + "/" + path, planned.text, planned.executable); !done.ok()) {
        say("shmem-bind: " + done.failure().text + "\n");
        return kFailed;
      }
    }
    ++written;
  }
  print(fmt::format("{}: {} files {}, {} unchanged\n", contract_->op_name, written, arguments_.dry_run ? "would be written" : "written", unchanged));
  return kDone;
}

int Session::build() {
  if (!contract_) {
    if (const auto code = load()) {
      return *code;
    }
    if (const auto code = gates()) {
      return *code;
    }
  }
  if (!target_) {
    if (const auto code = find_target()) {
      return *code;
    }
  }
  const build::Plan plan = build::plan_build(tree_, *contract_, *target_);
  const build::BuildReport report =
      build::run_build(plan, *contract_, *target_, files_, runner_,
                       [this](std::string_view step, std::string_view line) { say(fmt::format("[{}] {}\n", step, line)); });
  for (const build::StepReport& step : report.steps) {
    print(fmt::format("{}: {} ({:.1f} s)\n", step.name, step.changed ? "built" : "up to date", step.seconds));
  }
  if (!report.ok()) {
    say(fmt::format("shmem-bind: build failed ({}) in step {}\n", build::name_of(report.end), report.failed_step));
    for (const std::string& line : report.findings) {
      say("  " + line + "\n");
    }
    return kBuildFailed;
  }
  return kDone;
}

int Session::verify() {
  if (!contract_) {
    if (const auto code = load()) {
      return *code;
    }
    if (const auto code = gates()) {
      return *code;
    }
  }
  for (const int64_t pes : arguments_.verify.pes) {
    if (!contract_->pe_counts.allows(pes)) {
      say(fmt::format("shmem-bind: {}: {} PEs were asked for; the contract allows {} (torch_binding.n_pes)\n", contract_->op_name, pes,
                      contract_->pe_counts.text()));
      return kFindings;
    }
  }
  if (!target_) {
    if (const auto code = find_target()) {
      return *code;
    }
  }
  for (const std::string& library : {build::kernel_library(tree_, contract_->op_name), build::binding_library(tree_)}) {
    if (!files_.exists(library)) {
      say(fmt::format("shmem-bind: {} does not exist\n    way out: shmem-bind build {}\n", library, arguments_.op));
      return kBuildFailed;
    }
  }
  const verify::Verdict verdict =
      verify::run_verify(tree_, *contract_, *target_, arguments_.verify, files_, runner_, [this](std::string_view line) {
        if (line.find("进度") != std::string_view::npos) {
          say(fmt::format("  {}\n", line));
        }
      });
  files_.write(fmt::format("{}/build/verdict.json", folder_), verify::to_json(verdict), false);
  files_.write(fmt::format("{}/build/verified", folder_),
               verdict.verified ? fingerprint() + "\n" + verify::to_text(verdict) : "", false);
  print(arguments_.json ? verify::to_json(verdict) : verify::to_text(verdict));
  return verdict.verified ? kDone : kNotVerified;
}

std::string Session::fingerprint() {
  const std::string& op = contract_->op_name;
  std::vector<std::string> paths = {build::kernel_library(tree_, op), build::binding_library(tree_),
                                    fmt::format("{}/scripts/torch_test_{}.py", folder_, op)};
  for (const char* name : {"libshmem_sim_core.so", "libshmem_sim_ascendc.so", "libshmem.so", "libascendcl.so", "libopapi.so"}) {
    paths.push_back(target_->cann + "/lib64/" + name);
  }
  std::string all = contract_->digest + target_->torch_npu_version + target_->cann_version;
  for (const std::string& path : paths) {
    auto text = files_.read(path);
    all += path + (text.ok() ? digest(text.value()) : "");
  }
  const verify::Options& options = arguments_.verify;
  for (const verify::Job& job : verify::plan_jobs(*contract_, options)) {
    all += fmt::format("{} {} {};", job.name, job.calls, job.launcher);
  }
  return digest(all);
}

int Session::run_all() {
  if (const int code = generate(); code != kDone) {
    return code;
  }
  if (!contract_ || arguments_.dry_run) {
    return kDone;
  }
  if (const int code = build(); code != kDone) {
    return code;
  }
  // The same libraries, test and simulator give the same verdict: it is shown again, not earned again.
  auto earlier = files_.read(fmt::format("{}/build/verified", folder_));
  const std::string key = fingerprint() + "\n";
  if (earlier.ok() && earlier.value().rfind(key, 0) == 0 && !arguments_.json) {
    print(earlier.value().substr(key.size()));
    print(fmt::format("{}: nothing changed since that run; shmem-bind verify runs it again\n", contract_->op_name));
    return kDone;
  }
  return verify();
}

}  // namespace shmem_bind::cli
