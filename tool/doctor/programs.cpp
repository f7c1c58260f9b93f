#include "tool/doctor/programs.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "tool/base/text.h"

namespace shmem_bind::doctor {
namespace {

constexpr std::chrono::seconds kVersionDeadline{20};

// Prints where a program lies and the first line of its version; then the rest of the script runs.
ProcessResult ask(const std::string& program, const std::string& more, ProcessRunner& runner) {
  Command command;
  command.words = {"sh", "-c", "command -v \"$0\" && \"$0\" --version | head -n 1" + more, program};
  command.deadline = kVersionDeadline;
  return runner.run(command, {});
}

// What `ask` printed.
struct Answer {
  std::string path;
  std::string version;
};
Answer answer_in(const ProcessResult& result) {
  const auto lines = split_lines(result.output);
  return {lines.empty() ? "" : std::string(lines[0]), lines.size() < 2 ? "" : version_in(lines[1])};
}

}  // namespace

std::string version_in(std::string_view line) {
  std::string version;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0 &&
        word.find('.') != std::string_view::npos) {
      version = word;
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return version;
}

bool is_at_least(std::string_view version, int major, int minor) {
  int first = 0;
  int second = 0;
  const char* const end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, first);
  if (error == std::errc() && rest != end && *rest == '.') {
    std::from_chars(rest + 1, end, second);
  }
  return first > major || (first == major && second >= minor);
}

Compiler look_at_compiler(const std::string& name, ProcessRunner& runner) {
  const ProcessResult result =
      ask(name,
          " && printf '#include <string>\\n#include <concepts>\\n' | "
          "\"$0\" -std=c++20 -x c++ -dM -E - | grep -o '_GLIBCXX_USE_CXX11_ABI [01]'",
          runner);
  const Answer answer = answer_in(result);
  if (answer.version.empty()) {
    return {{"compiler", Health::kRed, name + " cannot be started", "apt-get install g++"}, ""};
  }
  const std::string found = fmt::format("{} {} at {}", name, answer.version, answer.path);
  const size_t abi = result.output.rfind("_GLIBCXX_USE_CXX11_ABI ");
  if (!result.ok() || abi == std::string::npos) {
    return {{"compiler",
             Health::kRed,
             found + " does not compile C++20 with libstdc++",
             "apt-get install g++"},
            ""};
  }
  return {{"compiler", Health::kGreen, found, ""}, result.output.substr(abi + 23, 1)};
}

Finding look_at_cmake(ProcessRunner& runner) {
  const Answer answer = answer_in(ask("cmake", "", runner));
  if (!is_at_least(answer.version, 3, 18)) {
    return {"cmake",
            Health::kRed,
            answer.version.empty()
                ? "cmake cannot be started"
                : fmt::format("cmake {} at {}, and the generated projects want 3.18",
                              answer.version,
                              answer.path),
            "apt-get install cmake"};
  }
  return {"cmake", Health::kGreen, fmt::format("{} at {}", answer.version, answer.path), ""};
}

Finding look_at_ninja(ProcessRunner& runner) {
  const Answer ninja = answer_in(ask("ninja", "", runner));
  if (!ninja.version.empty()) {
    return {"ninja", Health::kGreen, fmt::format("{} at {}", ninja.version, ninja.path), ""};
  }
  const Answer make = answer_in(ask("make", "", runner));
  return make.version.empty()
             ? Finding{"ninja",
                       Health::kRed,
                       "neither ninja nor make",
                       "apt-get install ninja-build"}
             : Finding{
                   "ninja",
                   Health::kYellow,
                   fmt::format("not found; make {} at {} builds instead", make.version, make.path),
                   "apt-get install ninja-build"};
}

}  // namespace shmem_bind::doctor
