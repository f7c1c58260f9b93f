#include "tool/build/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"
#include "tool/build/artifact.h"

namespace shmem_bind::build {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostFindings = 20;
constexpr std::chrono::seconds kLoadDeadline{120};

// As a worker of the generated test does it: the kernel library first, visible to the binding. A
// library without the class loads well: its object file may have been dropped by the linker.
constexpr const char* kLoad = R"(import ctypes, sys, torch, torch_npu
name, kernel, binding = sys.argv[1:]
ctypes.CDLL(kernel, mode=ctypes.RTLD_GLOBAL)
torch.classes.load_library(binding)
try:
    getattr(torch.classes.ShmemOps, name)
except RuntimeError:
    sys.exit(f"{binding} registers no class ShmemOps.{name}: is its torch_bind file a source of the library itself, "
             "not of an archive?")
)";

// A line of output that says what went wrong; the first sign in a line counts.
struct Sign {
  std::string_view text;
  BuildEnd end;
};
constexpr std::array kSigns = {
    Sign{"undefined reference to", BuildEnd::kLink},
    Sign{"undefined symbol", BuildEnd::kLink},
    Sign{"multiple definition of", BuildEnd::kLink},
    Sign{"cannot find -l", BuildEnd::kLink},
    Sign{"ld returned", BuildEnd::kLink},
    Sign{"linker command failed", BuildEnd::kLink},
    Sign{": error:", BuildEnd::kCompile},
    Sign{": fatal error:", BuildEnd::kCompile},
    Sign{"CMake Error", BuildEnd::kConfigure},
    Sign{"command not found", BuildEnd::kNotStarted},
    Sign{"No such file or directory", BuildEnd::kNotStarted},
    Sign{"cannot start ", BuildEnd::kNotStarted},
};

// A compiler's error makes ninja and CMake complain too, never the other way round: the cause is
// the lower number.
int depth_of(BuildEnd end) {
  switch (end) {
    case BuildEnd::kCompile:
      return 0;
    case BuildEnd::kLink:
      return 1;
    case BuildEnd::kConfigure:
      return 2;
    case BuildEnd::kNotStarted:
      return 3;
    default:
      return 4;
  }
}

BuildEnd sign_in(std::string_view line) {
  for (const Sign& sign : kSigns) {
    if (line.find(sign.text) != std::string_view::npos) {
      return sign.end;
    }
  }
  return BuildEnd::kUnknown;
}

void take_last(std::string_view output, std::vector<std::string>& lines) {
  const auto all = split_lines(output);
  for (size_t i = all.size() > kMostFindings ? all.size() - kMostFindings : 0; i < all.size();
       ++i) {
    lines.emplace_back(all[i]);
  }
}

std::string digest_of(const std::string& path, FileSystem& files) {
  const auto text = files.read(path);
  return text.ok() ? digest(text.value()) : "";
}

// One digest for each product, empty where there is none.
std::vector<std::string> digests_of(const std::vector<std::string>& paths, FileSystem& files) {
  std::vector<std::string> digests;
  digests.reserve(paths.size());
  for (const std::string& path : paths) {
    digests.push_back(digest_of(path, files));
  }
  return digests;
}

// Runs one step; true when its products are there and the script was content.
bool run_step(const Step& step,
              FileSystem& files,
              ProcessRunner& runner,
              const OnProgress& on_progress,
              BuildReport& report) {
  const std::vector<std::string> before = digests_of(step.products, files);
  const Clock::time_point start = Clock::now();
  const ProcessResult result = runner.run(step.command, [&](std::string_view line) {
    if (on_progress) {
      on_progress(step.name, line);
    }
  });
  const std::vector<std::string> after = digests_of(step.products, files);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  report.steps.push_back({step.name, before != after, seconds.count(), result.output});
  const auto absent = std::find(after.begin(), after.end(), "");
  if (result.ok() && absent == after.end()) {
    return true;
  }
  report.failed_step = step.name;
  if (result.timed_out) {
    report.end = BuildEnd::kTimeout;
    report.findings = {fmt::format(
        "ended after {} s: {}", step.command.deadline.count() / 1000, display(step.command))};
  } else if (result.ok()) {
    report.end = BuildEnd::kNoProduct;
    report.findings = {fmt::format("the script ended well, but there is no {}",
                                   step.products[static_cast<size_t>(absent - after.begin())])};
  } else {
    report.end = classify(result.output, report.findings);
    report.findings.push_back(
        fmt::format("exit code {}: {}", result.exit_code, display(step.command)));
  }
  return false;
}

bool check_symbols(const Plan& plan,
                   const Step& step,
                   const contract::Contract& contract,
                   FileSystem& files,
                   BuildReport& report) {
  const auto bytes = files.read(plan.kernel_library);
  const auto exported = bytes.ok() ? exported_functions(bytes.value())
                                   : Result<std::vector<std::string>>(bytes.failure());
  if (exported.ok()) {
    report.findings = artifact_findings(needed_functions(contract), exported.value());
  } else {
    report.findings = {fmt::format("{}: {}", plan.kernel_library, exported.failure().text)};
  }
  if (report.findings.empty()) {
    return true;
  }
  report.end = BuildEnd::kSymbols;
  report.failed_step = step.name;
  return false;
}

std::string load_identity(const Plan& plan, const Target& target, FileSystem& files) {
  return fmt::format("{}\n{}\n{}\n{}\n{} {}\n",
                     digest_of(plan.kernel_library, files),
                     digest_of(plan.binding_library, files),
                     target.cann,
                     target.shmem,
                     target.python,
                     target.torch_npu_version);
}

// Only when a library is new: loading costs seconds, mostly importing torch.
bool check_load(const Plan& plan,
                const std::string& class_name,
                const Target& target,
                FileSystem& files,
                ProcessRunner& runner,
                BuildReport& report) {
  const std::string identity = load_identity(plan, target, files);
  const auto stamp = files.read(plan.load_stamp);
  if (stamp.ok() && stamp.value() == identity) {
    return true;
  }
  Command load = in_environment(
      target, {target.python, "-c", kLoad, class_name, plan.kernel_library, plan.binding_library});
  load.deadline = kLoadDeadline;
  // In-tree, the binding needs the kernel libraries of all operators.
  load.environment["LD_LIBRARY_PATH"] =
      plan.kernel_library.substr(0, plan.kernel_library.rfind('/')) + ":" +
      environment("LD_LIBRARY_PATH");
  const Clock::time_point start = Clock::now();
  const ProcessResult result = runner.run(load, {});
  const std::chrono::duration<double> seconds = Clock::now() - start;
  report.steps.push_back({"load", false, seconds.count(), result.output});
  if (result.ok()) {
    files.write(plan.load_stamp, identity, false);  // without it the next build checks again
    return true;
  }
  report.end = BuildEnd::kLoad;
  report.failed_step = "load";
  take_last(result.output, report.findings);
  report.findings.push_back(
      fmt::format("{}: {}",
                  result.timed_out ? "no end" : fmt::format("exit code {}", result.exit_code),
                  display(load)));
  return false;
}

}  // namespace

std::string_view name_of(BuildEnd end) {
  switch (end) {
    case BuildEnd::kDone:
      return "done";
    case BuildEnd::kNotStarted:
      return "a program or file is missing";
    case BuildEnd::kConfigure:
      return "CMake could not configure";
    case BuildEnd::kCompile:
      return "does not compile";
    case BuildEnd::kLink:
      return "does not link";
    case BuildEnd::kTimeout:
      return "took too long";
    case BuildEnd::kNoProduct:
      return "made no library";
    case BuildEnd::kSymbols:
      return "the kernel library lacks what the contract promises";
    case BuildEnd::kLoad:
      return "the binding does not load";
    case BuildEnd::kUnknown:
      return "failed";
  }
  return "";
}

namespace {

struct FailureClass {
  BuildEnd end;
  std::string_view name;
  std::string_view hint;
};
constexpr std::array kClasses = {
    FailureClass{
        BuildEnd::kNotStarted, "environment", "a program or a file is missing: shmem-bind doctor"},
    FailureClass{BuildEnd::kConfigure,
                 "environment",
                 "CMake asks for torch, torch_npu, CANN and SHMEM: shmem-bind doctor"},
    FailureClass{
        BuildEnd::kCompile,
        "compile",
        "the first error counts; in a generated file, shmem-bind check and generate again"},
    FailureClass{BuildEnd::kLink,
                 "link",
                 "who should define the symbol: the kernel for this dtype, torch_npu, or SHMEM"},
    FailureClass{BuildEnd::kTimeout, "timeout", "shmem-bind build -v shows the last line"},
    FailureClass{BuildEnd::kNoProduct,
                 "link",
                 "the script must leave the library where docs/commands.md says"},
    FailureClass{BuildEnd::kSymbols,
                 "link",
                 "instantiate the kernel for each dtype of the contract, or take it out there"},
    FailureClass{
        BuildEnd::kLoad,
        "load",
        "an older library on LD_LIBRARY_PATH, another torch_npu, or a missing symbol: ldd -r"},
    FailureClass{BuildEnd::kUnknown, "compile", "shmem-bind build -v shows everything"},
};

const FailureClass* failure_of(BuildEnd end) {
  const auto* found = std::find_if(
      kClasses.begin(), kClasses.end(), [&](const FailureClass& item) { return item.end == end; });
  return found == kClasses.end() ? nullptr : found;
}

}  // namespace

std::string_view class_of(BuildEnd end) {
  const FailureClass* found = failure_of(end);
  return found == nullptr ? "" : found->name;
}

std::string_view hint_of(BuildEnd end) {
  const FailureClass* found = failure_of(end);
  return found == nullptr ? "" : found->hint;
}

bool BuildReport::changed() const {
  return std::any_of(
      steps.begin(), steps.end(), [](const StepReport& step) { return step.changed; });
}

BuildEnd classify(std::string_view output, std::vector<std::string>& lines) {
  BuildEnd end = BuildEnd::kUnknown;
  for (const std::string_view line : split_lines(output)) {
    const BuildEnd sign = sign_in(line);
    if (depth_of(sign) < depth_of(end)) {  // what was collected only follows from this
      lines.clear();
      end = sign;
    }
    if (sign != BuildEnd::kUnknown && sign == end && lines.size() < kMostFindings) {
      lines.emplace_back(line);
    }
  }
  if (end == BuildEnd::kUnknown) {
    take_last(output, lines);
  }
  return end;
}

BuildReport run_build(const Plan& plan,
                      const contract::Contract& contract,
                      const Target& target,
                      FileSystem& files,
                      ProcessRunner& runner,
                      const OnProgress& on_progress) {
  BuildReport report;
  for (const Step& step : plan.steps) {
    const bool makes_kernel =
        std::count(step.products.begin(), step.products.end(), plan.kernel_library) > 0;
    if (!run_step(step, files, runner, on_progress, report) ||
        (makes_kernel && !check_symbols(plan, step, contract, files, report))) {
      return report;
    }
  }
  if (plan.with_load) {
    check_load(plan, contract.class_name, target, files, runner, report);
  }
  return report;
}

}  // namespace shmem_bind::build
