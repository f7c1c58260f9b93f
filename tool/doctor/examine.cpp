#include "tool/doctor/examine.h"

#include <fmt/format.h>

#include <utility>

#include "tool/base/text.h"
#include "tool/doctor/library_path.h"
#include "tool/doctor/programs.h"
#include "tool/doctor/python.h"
#include "tool/doctor/settings.h"

namespace shmem_bind::doctor {
namespace {

constexpr const char* kBuildSimulated = "cmake --preset release && cmake --build --preset release";
constexpr int64_t kLeastMemoryMib = 1024;  // 2 PEs with torch, and their heaps
constexpr int64_t kGoodMemoryMib = 4096;   // 8 PEs
constexpr std::chrono::seconds kSearchDeadline{20};

std::string value_of(const Host& host, const std::string& name) {
  const auto found = host.environment.find(name);
  return found == host.environment.end() ? "" : found->second;
}

void add(Findings& all, Findings more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Finding cann(const build::Survey& survey) {
  const build::Target& target = survey.target;
  if (!survey.cann.ok()) {
    return {"CANN", Health::kRed, survey.cann.failure().text, kBuildSimulated};
  }
  return {"CANN",
          Health::kGreen,
          fmt::format("{}, {}, in {}",
                      target.cann_version.empty() ? "version unknown" : target.cann_version,
                      target.simulated ? "simulated" : "real",
                      target.cann),
          ""};
}

Finding shmem(const build::Survey& survey) {
  if (!survey.shmem.ok()) {
    return {"SHMEM", Health::kRed, survey.shmem.failure().text, kBuildSimulated};
  }
  if (!survey.one_world.ok()) {
    return {"SHMEM",
            Health::kRed,
            survey.one_world.failure().text,
            fmt::format("unset SHMEM_REPO SHMEM_HOME_PATH; . {}/set_env.sh", survey.target.cann)};
  }
  return {"SHMEM", Health::kGreen, "in " + survey.target.shmem, ""};
}

// The compiler of kernels, found as the generated scripts find it.
Finding kernel_compiler(const build::Target& target, ProcessRunner& runner) {
  Command command = build::in_environment(target, {"sh", "-c", "command -v bisheng"});
  command.deadline = kSearchDeadline;
  const ProcessResult result = runner.run(command, {});
  if (!result.ok()) {
    return {"bisheng",
            Health::kRed,
            fmt::format("{}/set_env.sh puts no bisheng on the PATH", target.cann),
            target.simulated ? kBuildSimulated : fmt::format(". {}/set_env.sh", target.cann)};
  }
  return {"bisheng", Health::kGreen, "at " + std::string(trimmed(result.output)), ""};
}

Finding ports(const Host& host) {
  return host.port.ok()
             ? Finding{"ports",
                       Health::kGreen,
                       fmt::format("127.0.0.1 gives free ones, as {}", host.port.value()),
                       ""}
             : Finding{"ports", Health::kRed, host.port.failure().text, "ip link set lo up"};
}

Finding memory(const Host& host) {
  if (!host.memory_mib) {
    return {"memory", Health::kYellow, "/proc/meminfo does not say how much is available", ""};
  }
  const std::string found = fmt::format("{} MiB available", *host.memory_mib);
  if (*host.memory_mib < kLeastMemoryMib) {
    return {"memory",
            Health::kRed,
            fmt::format("{}, and 2 PEs want {}", found, kLeastMemoryMib),
            "ps aux --sort=-rss | head"};
  }
  if (*host.memory_mib < kGoodMemoryMib) {
    return {"memory",
            Health::kYellow,
            fmt::format("{}, and 8 PEs want {}", found, kGoodMemoryMib),
            "shmem-bind verify --pes 2 OP"};
  }
  return {"memory", Health::kGreen, found, ""};
}

}  // namespace

std::string_view name_of(Health health) {
  switch (health) {
    case Health::kGreen:
      return "ok";
    case Health::kYellow:
      return "odd";
    case Health::kRed:
      return "RED";
  }
  return "";
}

Findings examine(const build::TargetOptions& options,
                 const Host& host,
                 FileSystem& files,
                 ProcessRunner& runner) {
  const std::string chosen = value_of(host, "CXX");
  const Compiler compiler = look_at_compiler(chosen.empty() ? "c++" : chosen, runner);
  Findings all = {compiler.finding, look_at_cmake(runner), look_at_ninja(runner)};
  build::Survey survey = build::survey_target(options, files);
  build::Target& target = survey.target;
  target.python = build::python_of(options, files);
  add(all, {cann(survey), shmem(survey)});
  const bool is_complete = survey.cann.ok() && survey.shmem.ok() && survey.one_world.ok();
  if (is_complete) {
    all.push_back(kernel_compiler(target, runner));
  }
  add(all, look_at_python(target, is_complete, compiler.abi, runner));
  if (is_complete) {
    add(all,
        look_at_library_path(
            value_of(host, "LD_LIBRARY_PATH"), {target.cann, target.shmem}, files));
    add(all, look_at_roots(host.environment, target));
    add(all, look_at_settings(host.environment, target, files));
  }
  add(all, {ports(host), memory(host)});
  return all;
}

}  // namespace shmem_bind::doctor
