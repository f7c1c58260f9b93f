#include "tool/doctor/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"

namespace shmem_bind::doctor {
namespace {

constexpr std::string_view kPrefix = "SHMEM_SIM_";

std::vector<std::string> known_settings(const build::Target& target, FileSystem& files) {
  std::vector<std::string> names;
  const auto text = files.read(target.cann + "/settings.txt");
  for (const std::string_view line :
       text.ok() ? split_lines(text.value()) : std::vector<std::string_view>()) {
    if (!trimmed(line).empty()) {
      names.emplace_back(trimmed(line));
    }
  }
  return names;
}

// The prefix that all share says nothing about which one was meant.
std::string nearest_setting(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> ends;
  for (const std::string& setting : known) {
    ends.push_back(setting.substr(std::min(kPrefix.size(), setting.size())));
  }
  const std::string near = nearest_name(name.substr(kPrefix.size()), ends);
  return near.empty() ? "" : std::string(kPrefix) + near;
}

Finding judge(const std::string& name,
              const std::string& value,
              const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return {"setting", Health::kGreen, fmt::format("{}={}", name, value), ""};
  }
  const std::string near = nearest_setting(name, known);
  return {
      "setting",
      Health::kRed,
      fmt::format("{} is no setting of this simulator and has no effect{}",
                  name,
                  near.empty() ? "" : "; did you mean " + near + "?"),
      near.empty() ? "unset " + name : fmt::format("unset {}; export {}={}", name, near, value)};
}

}  // namespace

Findings look_at_settings(const Variables& environment,
                          const build::Target& target,
                          FileSystem& files) {
  const std::vector<std::string> known = known_settings(target, files);
  Findings findings;
  for (auto entry = environment.lower_bound(std::string(kPrefix));
       entry != environment.end() && entry->first.starts_with(kPrefix);
       ++entry) {
    const auto& [name, value] = *entry;
    if (!target.simulated) {
      findings.push_back(
          {"setting", Health::kYellow, name + " has no meaning with a real CANN", "unset " + name});
    } else if (known.empty()) {
      findings.push_back({"setting",
                          Health::kYellow,
                          fmt::format("{}={}, and {}/settings.txt does not say whether it exists",
                                      name,
                                      value,
                                      target.cann),
                          ""});
    } else {
      findings.push_back(judge(name, value, known));
    }
  }
  if (findings.empty()) {
    findings.push_back({"setting", Health::kGreen, "no SHMEM_SIM_ variable is set", ""});
  }
  return findings;
}

Findings look_at_roots(const Variables& environment, const build::Target& target) {
  struct Variable {
    const char* name;
    const std::string& root;
    const char* script;
  };
  const std::array variables = {Variable{"ASCEND_TOOLKIT_HOME", target.cann, "/set_env.sh"},
                                Variable{"ASCEND_OPP_PATH", target.cann, "/set_env.sh"},
                                Variable{"SHMEM_HOME_PATH", target.shmem, "/install/set_env.sh"}};
  Findings findings;
  for (const Variable& variable : variables) {
    const auto found = environment.find(variable.name);
    if (variable.root.empty() || found == environment.end() || found->second.empty()) {
      continue;
    }
    const std::string path = resolved_path(found->second);
    if (!(path + "/").starts_with(resolved_path(variable.root) + "/")) {
      findings.push_back(
          {"environment",
           Health::kYellow,
           fmt::format("{}={} does not belong to {}", variable.name, found->second, variable.root),
           fmt::format(". {}{}", variable.root, variable.script)});
    }
  }
  return findings;
}

}  // namespace shmem_bind::doctor
