#include <unistd.h>

#include <cstdio>
#include <string>

#include "tool/cli/command.h"

namespace shmem_bind::cli {
namespace {

void print(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

// The folder of the running program, for what is installed beside it.
std::string own_folder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string text(path, length > 0 ? static_cast<size_t>(length) : 0);
  return text.substr(0, text.rfind('/') == std::string::npos ? 0 : text.rfind('/'));
}

Outcome run(Environment& environment) {
  switch (environment.args.command) {
    case CommandName::kCheck:
      return command_check(environment);
    case CommandName::kGenerate:
      return command_generate(environment);
    case CommandName::kDiff:
      return command_diff(environment);
    case CommandName::kBuild:
      return command_build(environment);
    case CommandName::kVerify:
      return command_verify(environment);
    case CommandName::kRun:
      return command_run(environment);
    case CommandName::kProve:
      return command_prove(environment);
    case CommandName::kReplay:
      return command_replay(environment);
    case CommandName::kReport:
      return command_report(environment);
    case CommandName::kClean:
      return command_clean(environment);
    case CommandName::kLint:
      return command_lint(environment);
    case CommandName::kExplain:
      return command_explain(environment);
    case CommandName::kBatch:
      return command_batch(environment);
    case CommandName::kInit:
      return command_init(environment);
    case CommandName::kDoctor:
      return command_doctor(environment);
    case CommandName::kMan:
      return command_man(environment);
    case CommandName::kCompletion:
      return command_completion(environment);
  }
  return {};
}

void flush(Outcome& outcome) {
  print(stderr, outcome.messages);
  print(stdout, outcome.text);
  outcome.messages.clear();
  outcome.text.clear();
}

int finish(const Args& args, Outcome outcome) {
  if (args.json) {
    outcome.json.add("exit_code", outcome.exit_code).add("messages", outcome.messages);
    print(stdout, outcome.json.text() + "\n");
  } else {
    flush(outcome);
  }
  return outcome.exit_code;
}

int start(int argc, char** argv) {
  auto parsed = parse_args(argc, argv);
  if (const auto* farewell = std::get_if<Farewell>(&parsed)) {
    print(farewell->exit_code == 0 ? stdout : stderr, farewell->text);
    return farewell->exit_code;
  }
  Args args = std::get<Args>(std::move(parsed));
  args.target.beside = own_folder();
  RealFileSystem files;
  RealProcessRunner runner;
  const auto progress = [](std::string_view line) { print(stderr, std::string(line) + "\n"); };
  const auto flush_text = [&args](Outcome& outcome) {
    if (!args.json) {
      flush(outcome);
    }
  };
  Environment environment{args, files, runner, progress, flush_text};
  return finish(args, run(environment));
}

}  // namespace
}  // namespace shmem_bind::cli

int main(int argc, char** argv) {
  return shmem_bind::cli::start(argc, argv);
}
