#include "tool/doctor/python.h"

#include <fmt/format.h>

#include <map>

#include "tool/base/text.h"

namespace shmem_bind::doctor {
namespace {

constexpr std::chrono::seconds kProbeDeadline{120};
constexpr const char* kSetUp = "scripts/setup.sh";

// Prints key=value lines: first what the folders say, then what importing gives. The ABI of a
// library shows in the names it uses: std::string is __cxx11::basic_string, or Ss in the old one.
constexpr const char* kProbe = R"(import importlib.metadata, importlib.util, mmap, os, sys
def say(key, value):
    print(f"{key}={str(value).splitlines()[-1] if str(value) else ''}", flush=True)
def abi(path):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return 1 if text.find(b"__cxx11") >= 0 else 0 if text.find(b"_ZNSs") >= 0 else ""
say("python", sys.version.split()[0])
say("executable", sys.executable)
for name in ("torch", "torch_npu"):
    try:
        say(name, importlib.metadata.version(name))
        say(name + "_path", os.path.dirname(importlib.util.find_spec(name).origin))
    except Exception as error:
        say(name + "_error", f"{type(error).__name__}: {error}")
libraries = {"SHMEM": sys.argv[2] + "/install/shmem/lib/libshmem.so" if sys.argv[2] else ""}
for name, file in (("torch", "libc10.so"), ("torch_npu", "libtorch_npu.so")):
    spec = importlib.util.find_spec(name)
    libraries[name] = os.path.join(os.path.dirname(spec.origin), "lib", file) if spec else ""
for name, path in libraries.items():
    if path and os.path.exists(path) and os.path.getsize(path):
        say("abi " + name, abi(path))
if sys.argv[1] == "import":
    try:
        import torch, torch_npu
        say("devices", torch.npu.device_count())
    except BaseException as error:
        say("import_error", f"{type(error).__name__}: {error}")
)";

using Answers = std::map<std::string, std::string>;

Answers answers_in(const std::string& output) {
  Answers answers;
  for (const std::string_view line : split_lines(output)) {
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      answers[std::string(line.substr(0, equals))] = line.substr(equals + 1);
    }
  }
  return answers;
}

Finding package(const std::string& name, Answers& answers) {
  if (answers[name].empty()) {
    const std::string& error = answers[name + "_error"];
    return {
        name, Health::kRed, fmt::format("{} has none ({})", answers["executable"], error), kSetUp};
  }
  return {
      name, Health::kGreen, fmt::format("{} at {}", answers[name], answers[name + "_path"]), ""};
}

// "2.13.0+cpu" -> 2.13
std::string minor_of(const std::string& version) {
  const size_t first = version.find('.');
  return version.substr(
      0, first == std::string::npos ? first : version.find_first_of(".+", first + 1));
}

Finding torch_npu(Answers& answers, const ProcessResult& result, const build::Target& target) {
  Finding finding = package("torch_npu", answers);
  if (finding.health == Health::kRed) {
    return finding;
  }
  if (minor_of(answers["torch"]) != minor_of(answers["torch_npu"])) {
    return {"torch_npu",
            Health::kRed,
            fmt::format("{} beside torch {}: the two must have one version",
                        answers["torch_npu"],
                        answers["torch"]),
            fmt::format("{} -m pip install torch_npu=={}",
                        answers["executable"],
                        answers["torch"].substr(0, answers["torch"].find('+')))};
  }
  if (!answers.contains("devices")) {
    const std::string& error = answers["import_error"];
    return {"torch_npu",
            Health::kRed,
            fmt::format("{} does not start: {}",
                        answers["torch_npu"],
                        !error.empty()     ? error
                        : result.timed_out ? "no answer"
                                           : fmt::format("exit code {}", result.exit_code)),
            fmt::format("unset LD_LIBRARY_PATH; . {}/set_env.sh; . {}/install/set_env.sh",
                        target.cann,
                        target.shmem)};
  }
  finding.found += fmt::format(", starts and sees {} devices", answers["devices"]);
  return finding;
}

Finding agreement(const Answers& answers, const std::string& compiler_abi) {
  const auto torch = answers.find("abi torch");
  if (torch == answers.end() || torch->second.empty()) {
    return {"C++11 ABI", Health::kYellow, "torch's libc10.so does not show which one it uses", ""};
  }
  std::string all = "torch " + torch->second;
  std::string odd;
  for (const char* name : {"torch_npu", "SHMEM"}) {
    const auto found = answers.find(std::string("abi ") + name);
    if (found != answers.end() && !found->second.empty()) {
      all += fmt::format(", {} {}", name, found->second);
      odd += found->second != torch->second ? fmt::format("{} ", name) : "";
    }
  }
  if (!odd.empty()) {
    return {"C++11 ABI",
            Health::kRed,
            fmt::format("{}: {}differs from torch, its std::string is another type", all, odd),
            kSetUp};
  }
  // The generated project sets what torch uses: the compiler's default only matters elsewhere.
  return {"C++11 ABI",
          Health::kGreen,
          compiler_abi.empty() || compiler_abi == torch->second
              ? fmt::format("{}, compiler {}", all, compiler_abi.empty() ? "?" : compiler_abi)
              : fmt::format(
                    "{}; the compiler's default is {}, bindings set torch's", all, compiler_abi),
          ""};
}

}  // namespace

Findings look_at_python(const build::Target& target,
                        bool is_complete,
                        const std::string& compiler_abi,
                        ProcessRunner& runner) {
  std::vector<std::string> words = {
      target.python, "-c", kProbe, is_complete ? "import" : "look", target.shmem};
  Command command;
  command.words = words;
  if (is_complete) {
    command = build::in_environment(target, words);
  }
  command.deadline = kProbeDeadline;
  const ProcessResult result = runner.run(command, {});
  Answers answers = answers_in(result.output);
  if (answers["python"].empty()) {
    const auto lines = split_lines(result.output);
    return {
        {"python",
         Health::kRed,
         fmt::format(
             "{} cannot be started: {}", target.python, lines.empty() ? "no answer" : lines.back()),
         kSetUp}};
  }
  Findings findings = {{"python",
                        Health::kGreen,
                        fmt::format("{} at {}", answers["python"], answers["executable"]),
                        ""},
                       package("torch", answers)};
  if (is_complete || answers["torch_npu"].empty()) {
    findings.push_back(torch_npu(answers, result, target));
  } else {
    findings.push_back({"torch_npu",
                        Health::kYellow,
                        answers["torch_npu"] + ", not started: it needs CANN and SHMEM",
                        ""});
  }
  findings.push_back(agreement(answers, compiler_abi));
  return findings;
}

}  // namespace shmem_bind::doctor
