#include <fmt/format.h>

#include "tool/binding/places.h"
#include "tool/build/plan.h"
#include "tool/build/run.h"
#include "tool/build/target.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"

namespace shmem_bind::cli {
namespace {

void describe(const build::BuildReport& report, Outcome& outcome) {
  std::vector<std::string> steps;
  for (const build::StepReport& step : report.steps) {
    const bool failed = step.name == report.failed_step;
    const std::string_view how = failed                ? "failed"
                                 : step.changed        ? "built"
                                 : step.name == "load" ? "loads"
                                                       : "up to date";
    outcome.text += fmt::format("build: {:<24} {:<10} {:.1f} s\n", step.name, how, step.seconds);
    steps.push_back(
        JsonObject().add("name", step.name).add("result", how).add("seconds", step.seconds).text());
  }
  JsonObject summary;
  summary.add("result", build::name_of(report.end)).add("changed", report.changed());
  if (!report.ok()) {
    summary.add("class", build::class_of(report.end)).add("hint", build::hint_of(report.end));
  }
  outcome.json.add_value("build",
                         summary.add_value("steps", json_list(steps))
                             .add_value("findings", json_texts(report.findings))
                             .text());
  if (!report.ok()) {
    outcome.exit_code = kExitBuild;
    outcome.messages += fmt::format("{}: {}\n", report.failed_step, build::name_of(report.end));
    for (const std::string& finding : report.findings) {
      outcome.messages += "    " + finding + "\n";
    }
    outcome.messages += fmt::format(
        "    [{}] way out: {}\n", build::class_of(report.end), build::hint_of(report.end));
  }
}

// What build needs of the tree; the way out differs from a broken script.
bool scripts_are_there(const Operator& op, FileSystem& files, Outcome& outcome) {
  std::vector<std::string> needed = build::build_scripts(op.tree, op.contract);
  needed.push_back(op.tree + "/" + binding::places_of(op.contract).source);
  for (const std::string& path : needed) {
    if (files.exists(path)) {
      continue;
    }
    outcome.exit_code = kExitBuild;
    outcome.messages += fmt::format(
        "{} is not there\n    way out: {}\n",
        path,
        path.ends_with("/scripts/build.sh")
            ? "an in_tree_example operator is built by this script of the SHMEM source tree"
            : "shmem-bind generate " + op.folder);
    return false;
  }
  return true;
}

}  // namespace

bool build_operator(Environment& environment,
                    const Operator& op,
                    const build::Target& target,
                    Outcome& outcome,
                    build::Part part) {
  std::string current;
  const auto progress = [&](std::string_view step, std::string_view line) {
    if (step != current) {
      current = step;
      environment.progress(fmt::format("building: {}", step));
    }
    if (environment.args.verbose) {
      environment.progress(fmt::format("  [{}] {}", step, line));
    }
  };
  build::Plan plan = build::plan_build(op.tree, op.contract, target);
  build::keep_part(plan, part);
  const build::BuildReport report =
      build::run_build(plan, op.contract, target, environment.files, environment.runner, progress);
  describe(report, outcome);
  return report.ok();
}

std::optional<build::Target> open_target(Environment& environment, Outcome& outcome) {
  auto target = build::find_target(environment.args.target, environment.files, environment.runner);
  if (!target.ok()) {
    fail(outcome, target.failure());
    return std::nullopt;
  }
  const build::Target& found = target.value();
  outcome.messages += fmt::format("{} CANN {} in {}, torch {}, torch_npu {}\n",
                                  found.simulated ? "simulated" : "real",
                                  found.cann_version,
                                  found.cann,
                                  found.torch_version,
                                  found.torch_npu_version);
  outcome.json.add_value("target",
                         JsonObject()
                             .add("cann", found.cann)
                             .add("cann_version", found.cann_version)
                             .add("simulated", found.simulated)
                             .add("shmem", found.shmem)
                             .add("python", found.python)
                             .add("torch", found.torch_version)
                             .add("torch_npu", found.torch_npu_version)
                             .text());
  return std::move(target.value());
}

Outcome command_build(Environment& environment) {
  Outcome outcome;
  const auto op = open_gated(environment, outcome);
  if (op && mode_is_right(*op, environment.files, outcome) &&
      scripts_are_there(*op, environment.files, outcome)) {
    if (const auto target = open_target(environment, outcome)) {
      environment.flush(outcome);
      build_operator(environment, *op, *target, outcome);
    }
  }
  return outcome;
}

}  // namespace shmem_bind::cli
