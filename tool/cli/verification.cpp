#include "tool/cli/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/cli/tree.h"

namespace shmem_bind::cli {

verify::Options options_of(const Args& args) {
  verify::Options options;
  options.full = args.full;
  options.pes = args.pes;
  options.dtypes = args.dtypes;
  options.cases = args.cases;
  options.seeds = args.seeds;
  options.calls = args.calls;
  options.deadline_s = args.deadline_s;
  options.launchers = !args.fork_only;
  options.keep_going = args.keep_going;
  return options;
}

verify::Language language_of(const Args& args) {
  return args.chinese ? verify::Language::kChinese : verify::Language::kEnglish;
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

std::string record(const Operator& op, const char* name) {
  return fmt::format("{}/{}/{}", op.tree, binding::places_of(op.contract).records, name);
}

verify::Surroundings surroundings_of(Environment& environment,
                                     const Operator& op,
                                     const build::Target& target) {
  const auto progress = [&environment](std::string_view line) {
    if (environment.args.verbose ||
        line.find("进度") != std::string_view::npos) {  // the generated test's progress lines
      environment.progress(fmt::format("  {}", line));
    }
  };
  return {op.tree, target, environment.files, environment.runner, progress};
}

int exit_code_of(const verify::Verdict& verdict, bool is_batch) {
  if (verdict.state == verify::State::kFailed) {
    return kExitVerify;
  }
  const bool has_gap =
      std::any_of(verdict.checks.begin(), verdict.checks.end(), [=](const verify::Check& check) {
        const bool is_evidence = check.why.id == "evidence.missing";  // --accept-unverified
        return check.state == verify::CheckState::kOpen ||
               (is_batch && check.state == verify::CheckState::kWaived && !is_evidence);
      });
  return has_gap && verdict.state == verify::State::kUnverified ? kExitGate : kExitDone;
}

void write_junit(Environment& environment, const verify::Verdict& verdict, Outcome& outcome) {
  const std::string& path = environment.args.junit;
  if (path.empty()) {
    return;
  }
  if (const auto written = environment.files.write(path, verify::to_junit({verdict}), false);
      !written.ok()) {
    fail(outcome, written.failure());
  }
}

void tell_verdict(Environment& environment, const verify::Verdict& verdict, Outcome& outcome) {
  const Args& args = environment.args;
  outcome.text += verify::to_text(verdict, language_of(args));
  outcome.json.add_value("verdict", std::string(trimmed(verify::to_json(verdict))));
  outcome.state = verify::name_of(verdict.state);
  outcome.exit_code = exit_code_of(verdict, args.command == CommandName::kBatch);
  if (verdict.state != verify::State::kVerified) {
    outcome.why = verify::headline(verdict);
  }
  write_junit(environment, verdict, outcome);
}

void tell_skip(Environment& environment, Outcome& outcome) {
  if (outcome.skipped.empty()) {
    return;
  }
  verify::Verdict verdict;
  verdict.op = outcome.skipped;
  verdict.state = verify::State::kSkipped;
  const std::string value = outcome.why.substr(outcome.why.rfind(" is ") + 4);
  verdict.checks = {{"torch", verify::CheckState::kWaived, {"torch.skipped", {value}}}};
  outcome.text.clear();
  tell_verdict(environment, verdict, outcome);
}

std::optional<verify::Verdict> open_verdict(Environment& environment, Outcome& outcome) {
  std::string path = environment.args.path;
  if (environment.files.is_folder(path)) {
    path += std::string("/") + kVerdict;
  }
  const auto text = environment.files.read(path);
  if (!text.ok()) {
    fail(outcome, {text.failure().text + "; shmem-bind verify writes verdict.json"});
    return std::nullopt;
  }
  auto verdict = verify::read_verdict(text.value(), path);
  if (!verdict.ok()) {
    fail(outcome, verdict.failure());
    return std::nullopt;
  }
  return std::move(verdict.value());
}

std::string folder_of(const Args& args, const verify::Verdict& verdict) {
  return args.op_folder.empty() ? verdict.folder : args.op_folder;
}

}  // namespace shmem_bind::cli
