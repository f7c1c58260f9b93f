#include <fmt/format.h>

#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"
#include "tool/cli/verification.h"
#include "tool/verify/html_report.h"

namespace shmem_bind::cli {
namespace {

// The operator's generated file, when the operator is at hand and still the one of the verdict.
std::string source_of(Environment& environment, const verify::Verdict& verdict, Outcome& outcome) {
  const std::string folder = folder_of(environment.args, verdict);
  const auto op = open_operator(folder, environment.files);
  if (!op.ok() || !op.value().is_valid) {
    outcome.messages += fmt::format(
        "without the generated code: {} holds no operator with a contract in order; --operator "
        "names another folder\n",
        folder);
    return "";
  }
  if (op.value().contract.digest != verdict.digest) {
    outcome.messages += fmt::format(
        "without the generated code: the contract of {} is not the verdict's any more; shmem-bind "
        "verify makes a new verdict\n",
        folder);
    return "";
  }
  const std::string path = below(op.value().tree, binding::places_of(op.value().contract).source);
  const auto text = environment.files.read(path);
  if (!text.ok()) {
    outcome.messages += "without the generated code: " + text.failure().text + "\n";
    return "";
  }
  return text.value();
}

std::string page_beside(const std::string& verdict_path, FileSystem& files) {
  if (files.is_folder(verdict_path)) {
    return verdict_path + "/report.html";
  }
  const size_t slash = verdict_path.rfind('/');
  return (slash == std::string::npos ? "" : verdict_path.substr(0, slash + 1)) + "report.html";
}

}  // namespace

Outcome command_report(Environment& environment) {
  Outcome outcome;
  const auto verdict = open_verdict(environment, outcome);
  if (!verdict) {
    return outcome;
  }
  const std::string source = source_of(environment, *verdict, outcome);
  const std::string path = environment.args.output.empty()
                               ? page_beside(environment.args.path, environment.files)
                               : environment.args.output;
  const auto written = environment.files.write(path, verify::to_html(*verdict, source), false);
  if (!written.ok()) {
    fail(outcome, written.failure());
    return outcome;
  }
  write_junit(environment, *verdict, outcome);
  outcome.text +=
      fmt::format("{}: {}, in {}\n", verdict->op, verify::name_of(verdict->state), path);
  outcome.json.add("operator", verdict->op)
      .add("state", verify::name_of(verdict->state))
      .add("page", path);
  return outcome;
}

}  // namespace shmem_bind::cli
