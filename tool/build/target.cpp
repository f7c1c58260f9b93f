#include "tool/build/target.h"

#include <fmt/format.h>

#include <utility>

#include "tool/base/text.h"

namespace shmem_bind::build {
namespace {

struct Candidate {
  std::string path;
  std::string_view origin;  // for messages
};

Candidate first_said(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    if (!candidate.path.empty()) {
      return candidate;
    }
  }
  return {};
}

// `folder` + `below`, when `mark` lies in it.
std::string when_there(const std::string& folder,
                       const char* below,
                       const char* mark,
                       FileSystem& files) {
  const std::string path = folder.empty() ? "" : absolute_path(folder + below);
  return !path.empty() && files.exists(path + mark) ? path : "";
}

// `key=value` lines, as CANN writes its version files.
std::string value_of(const std::string& text, std::string_view key) {
  for (std::string_view line : split_lines(text)) {
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos && trimmed(line.substr(0, equals)) == key) {
      return std::string(trimmed(line.substr(equals + 1)));
    }
  }
  return "";
}

std::string text_of(const std::string& path, FileSystem& files) {
  const auto text = files.read(path);
  return text.ok() ? text.value() : "";
}

Result<Done> find_cann(const TargetOptions& options, FileSystem& files, Target& target) {
  const Candidate found = first_said(
      {{options.cann, "--cann"},
       {environment("ASCEND_HOME_PATH"), "ASCEND_HOME_PATH"},
       {when_there(options.beside, "/../cann", "/set_env.sh", files), "beside the tool"}});
  if (found.path.empty()) {
    return Failure{
        "no CANN: give --cann, or source its set_env.sh (ASCEND_HOME_PATH); the simulated one is "
        "out/<preset>/cann"};
  }
  target.cann = absolute_path(found.path);
  for (const char* part : {"/set_env.sh", "/include/acl/acl.h", "/lib64"}) {
    if (!files.exists(target.cann + part)) {
      return Failure{fmt::format(
          "{} (from {}) is no CANN toolkit: it has no {}", target.cann, found.origin, part + 1)};
    }
  }
  const std::string version = text_of(target.cann + "/version.info", files);
  const std::string install = text_of(target.cann + "/ascend_toolkit_install.info", files);
  target.cann_version = value_of(version, "Version").empty() ? value_of(install, "version")
                                                             : value_of(version, "Version");
  target.simulated = value_of(version, "version_dir") == "simulated";
  return Done{};
}

Result<Done> find_shmem(const TargetOptions& options, FileSystem& files, Target& target) {
  const std::string home = environment("SHMEM_HOME_PATH");  // the install folder inside the tree
  const Candidate found = first_said(
      {{options.shmem, "--shmem"},
       {environment("SHMEM_REPO"), "SHMEM_REPO"},
       {home.empty() ? "" : home + "/..", "SHMEM_HOME_PATH"},
       {when_there(target.cann, "/../shmem", "/install/set_env.sh", files), "beside CANN"},
       {when_there(options.beside, "/../shmem", "/install/set_env.sh", files), "beside the tool"}});
  if (found.path.empty()) {
    return Failure{
        "no SHMEM: give --shmem, or set SHMEM_REPO to the tree that has install/set_env.sh; the "
        "simulated one is out/<preset>/shmem"};
  }
  target.shmem = absolute_path(found.path);
  for (const char* part : {"/install/set_env.sh",
                           "/install/shmem/include/shmem.h",
                           "/install/shmem/lib/libshmem.so"}) {
    if (!files.exists(target.shmem + part)) {
      return Failure{fmt::format(
          "{} (from {}) is no SHMEM tree: it has no {}", target.shmem, found.origin, part + 1)};
    }
  }
  return Done{};
}

// Both roots come from one world: a simulated SHMEM on a real CANN would fail far from the cause.
Result<Done> check_one_world(FileSystem& files, const Target& target) {
  const std::string version = text_of(target.shmem + "/install/version.info", files);
  const bool simulated_shmem = value_of(version, "version_dir") == "simulated";
  if (simulated_shmem == target.simulated) {
    return Done{};
  }
  const auto kind = [](bool simulated) { return simulated ? "simulated" : "real"; };
  return Failure{fmt::format(
      "CANN {} is {}, SHMEM {} is {}: give both from one installation (--cann, --shmem)",
      target.cann,
      kind(target.simulated),
      target.shmem,
      kind(simulated_shmem))};
}

std::string venv_above(std::string folder, FileSystem& files) {
  while (!folder.empty()) {
    if (files.exists(folder + "/.venv/bin/python")) {
      return folder + "/.venv/bin/python";
    }
    folder = folder.substr(0, folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
  }
  return "";
}

std::string minor_of(const std::string& version) {
  const size_t first = version.find('.');
  return first == std::string::npos ? version
                                    : version.substr(0, version.find_first_of(".+", first + 1));
}

Candidate choose_python(const TargetOptions& options, FileSystem& files) {
  const std::string beside =
      options.beside.empty() ? "" : venv_above(absolute_path(options.beside), files);
  return first_said({{options.python, "--python"},
                     {environment("PYTHON"), "PYTHON"},
                     {beside, "beside the tool"},
                     {"python3", "PATH"}});
}

Result<Done> find_python(const TargetOptions& options,
                         FileSystem& files,
                         ProcessRunner& runner,
                         Target& target) {
  const Candidate found = choose_python(options, files);
  target.python =
      found.path.find('/') == std::string::npos ? found.path : absolute_path(found.path);
  Command ask;
  ask.words = {found.path,
               "-c",
               "import importlib.metadata as m\n"
               "import sys\n"
               "for name in ('torch', 'torch_npu'):\n"
               "    print(name + '=' + m.version(name))\n"
               "print('python=%d.%d.%d' % sys.version_info[:3])\n"};
  ask.deadline = std::chrono::seconds(20);
  const ProcessResult answer = runner.run(ask, {});
  target.torch_version = value_of(answer.output, "torch");
  target.torch_npu_version = value_of(answer.output, "torch_npu");
  target.python_version = value_of(answer.output, "python");
  if (!answer.ok() || target.torch_npu_version.empty()) {
    const auto lines = split_lines(answer.output);
    return Failure{
        fmt::format("{} (from {}) has no torch and torch_npu: {}; scripts/setup.sh makes .venv "
                    "with both, or give --python",
                    found.path,
                    found.origin,
                    lines.empty() ? "no answer" : lines.back())};
  }
  if (minor_of(target.torch_version) != minor_of(target.torch_npu_version)) {
    return Failure{fmt::format("{} has torch {} and torch_npu {}: the two must have one version",
                               found.path,
                               target.torch_version,
                               target.torch_npu_version)};
  }
  return Done{};
}

}  // namespace

Result<Target> find_target(const TargetOptions& options, FileSystem& files, ProcessRunner& runner) {
  Target target;
  target.jobs = options.jobs;
  if (auto found = find_cann(options, files, target); !found.ok()) {
    return found.failure();
  }
  if (auto found = find_shmem(options, files, target); !found.ok()) {
    return found.failure();
  }
  if (auto checked = check_one_world(files, target); !checked.ok()) {
    return checked.failure();
  }
  if (auto found = find_python(options, files, runner, target); !found.ok()) {
    return found.failure();
  }
  return target;
}

Survey survey_target(const TargetOptions& options, FileSystem& files) {
  Survey survey;
  survey.cann = find_cann(options, files, survey.target);
  survey.shmem = find_shmem(options, files, survey.target);
  if (survey.cann.ok() && survey.shmem.ok()) {
    survey.one_world = check_one_world(files, survey.target);
  }
  return survey;
}

std::string python_of(const TargetOptions& options, FileSystem& files) {
  return choose_python(options, files).path;
}

Command in_environment(const Target& target, std::vector<std::string> words) {
  // The vendor's scripts end with any status and are not written for `set -eu`: what they must
  // provide is checked by use.
  Command command;
  command.words = {"bash",
                   "-c",
                   "source \"$0\"; source \"$1\"; shift; exec \"$@\"",
                   target.cann + "/set_env.sh",
                   target.shmem + "/install/set_env.sh"};
  command.words.insert(command.words.end(),
                       std::make_move_iterator(words.begin()),
                       std::make_move_iterator(words.end()));
  command.environment = {
      {"ASCEND_HOME_PATH", target.cann}, {"SHMEM_REPO", target.shmem}, {"PYTHON", target.python}};
  return command;
}

}  // namespace shmem_bind::build
