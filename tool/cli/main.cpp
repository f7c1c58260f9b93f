#include <CLI/CLI.hpp>
#include <climits>
#include <string>

#include "tool/cli/session.h"

// Reads the command line. The only file that includes CLI11, and the page that shows which commands there are.

namespace shmem_bind::cli {
namespace {

struct CommandText {
  const char* name;
  const char* help;
  bool writes;
  bool builds;
  bool verifies;
};

constexpr CommandText kCommands[] = {
    {"check", "Compare docs/design.md and the kernel header; list findings, each with place and way out.", false, false, false},
    {"generate", "Write the binding, its CMake file, scripts and multi-PE test. A second run changes nothing.", true, false, false},
    {"diff", "What generate would change; exit code 11 when anything.", false, false, false},
    {"build", "Build the kernel library and shmem_custom_ops_torch.so through the generated scripts.", false, true, false},
    {"verify", "Run the generated test on 2 and 8 PEs: eagerly and under adversarial seeds, forked, spawned, torchrun.", false, true, true},
    {"run", "generate, build and verify.", true, true, true},
};

constexpr const char* kFooter = R"(Exit codes: 0 done or skipped, 1 the tool or the machine failed, 2 usage, 10 findings in the contract
or header, 11 the tree differs, 12 build failed, 13 verification failed, 14 a gate is missing.

Example: shmem-bind run examples/custom-ops/all_gather)";

std::string program_folder(const char* argument) {
  char path[PATH_MAX];
  const char* resolved = realpath("/proc/self/exe", path);
  const std::string own = resolved == nullptr ? argument : resolved;
  return own.substr(0, own.rfind('/'));
}

void add_options(CLI::App& command, const CommandText& text, Arguments& arguments) {
  command.add_option("operator", arguments.op, "Folder of the operator, or its docs/design.md")->required();
  command.add_option_function<std::string>(
      "--format", [&arguments](const std::string& format) { arguments.json = format == "json"; }, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  if (text.writes) {
    command.add_flag("--force", arguments.force, "Overwrite files that were edited by hand");
    command.add_flag("--dry-run", arguments.dry_run, "Say what would be written, write nothing");
  }
  if (text.writes || text.builds) {
    command.add_flag("--accept-unverified", arguments.accept_unverified, "Go on without evidence of correctness and review");
  }
  if (text.builds) {
    command.add_option("--cann", arguments.target.cann, "CANN toolkit (default: ASCEND_HOME_PATH, else the simulated one beside this program)");
    command.add_option("--shmem", arguments.target.shmem, "SHMEM tree with install/ (default: SHMEM_REPO, else the simulated one)");
    command.add_option("--python", arguments.target.python, "Python with torch and torch_npu (default: PYTHON, else .venv)");
  }
  if (text.verifies) {
    command.add_option("--pes", arguments.verify.pes, "PE counts (default: 2 8)")->delimiter(',');
    command.add_option("--seeds", arguments.verify.seeds, "Adversarial seeds (default: 1,2,3,4,5)")->delimiter(',');
    command.add_option("--calls", arguments.verify.calls, "Calls on one object (default: 6)")->check(CLI::Range(3, 100000));
    command.add_option("--deadline", arguments.verify.deadline_s, "Seconds for one job (default: 120)")->check(CLI::Range(1, 86400));
    command.add_flag("!--fork-only", arguments.verify.launchers, "Leave out the spawned and the torchrun job");
  }
}

int main_with(int count, char** words) {
  CLI::App app("Bind SHMEM operators to PyTorch, and verify the binding on several PEs without a board.", "shmem-bind");
  app.set_version_flag("--version", "shmem-bind 0.1.0");
  app.footer(kFooter);
  app.require_subcommand(1);
  Arguments arguments;
  arguments.target.beside = program_folder(words[0]);
  for (const CommandText& text : kCommands) {
    add_options(*app.add_subcommand(text.name, text.help), text, arguments);
  }
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  arguments.command = app.get_subcommands()[0]->get_name();
  RealFileSystem files;
  RealProcessRunner runner;
  return Session(std::move(arguments), files, runner).run();
}

}  // namespace
}  // namespace shmem_bind::cli

int main(int count, char** words) { return shmem_bind::cli::main_with(count, words); }
