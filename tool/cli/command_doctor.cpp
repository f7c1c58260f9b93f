#include <fmt/format.h>

#include <algorithm>

#include "tool/base/machine.h"
#include "tool/cli/command.h"
#include "tool/doctor/examine.h"

namespace shmem_bind::cli {

Outcome command_doctor(Environment& environment) {
  const doctor::Host host{
      whole_environment(), free_port(), available_memory_mib(environment.files)};
  const doctor::Findings findings =
      doctor::examine(environment.args.target, host, environment.files, environment.runner);
  Outcome outcome;
  std::vector<std::string> checks;
  for (const doctor::Finding& finding : findings) {
    outcome.text +=
        fmt::format("{:<3}  {:<12}  {}\n", name_of(finding.health), finding.name, finding.found);
    outcome.text += finding.fix.empty() ? "" : fmt::format("{:19}fix: {}\n", "", finding.fix);
    checks.push_back(JsonObject()
                         .add("name", finding.name)
                         .add("state", name_of(finding.health))
                         .add("found", finding.found)
                         .add("fix", finding.fix)
                         .text());
  }
  const auto red = std::count_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.health == doctor::Health::kRed;
  });
  outcome.exit_code = red == 0 ? kExitDone : kExitFailed;
  outcome.text += red == 0 ? "doctor: ready to build and verify\n"
                           : fmt::format("doctor: {} red; repair the first, then ask again\n", red);
  outcome.json.add_value("checks", json_list(checks)).add("red", static_cast<int>(red));
  return outcome;
}

}  // namespace shmem_bind::cli
