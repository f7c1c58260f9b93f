#include "tool/cli/args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"

namespace shmem_bind::cli {
namespace {

constexpr const char* kAbout =
    R"(Binds a SHMEM operator to PyTorch, from its contract and its kernel header, and proves the binding on several PEs.

An operator is a folder custom-ops/<op>/, or examples/<op>/ of a SHMEM source tree, with
  docs/design.md           its contract: one fenced yaml block
  src/<op>_kernel.{h,cpp}  its kernel and how it is called
A first run, without an NPU:
  shmem-bind check custom-ops/all_gather      is the contract in order, does it fit the header?
  shmem-bind run   custom-ops/all_gather      generate, build, verify on 2 and 8 PEs
)";

constexpr const char* kExits = R"(
Exit codes: 0 done or skipped, 1 the tool or the machine failed, 2 usage, 10 the contract or the header has findings,
11 the tree differs, 12 build failed, 13 verification failed, 14 correctness or review evidence is missing.
Results go to standard output, talk to standard error; --format json gives both as one object on standard output.)";

// Adds what every command has.
CLI::App* add_command(CLI::App& app,
                      Args& args,
                      CommandName name,
                      const std::string& word,
                      const std::string& about) {
  CLI::App* command = app.add_subcommand(word, about);
  command->add_option("operator", args.path, "the operator's folder, or its docs/design.md")
      ->required();
  command
      ->add_option_function<std::string>(
          "--format",
          [&args](const std::string& format) { args.json = format == "json"; },
          "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->callback([&args, name] { args.command = name; });
  return command;
}

void add_gate(CLI::App* command, Args& args) {
  command->add_flag("--accept-unverified",
                    args.accept_unverified,
                    "go on without correctness and review evidence; every verdict says so");
}

void add_writing(CLI::App* command, Args& args) {
  command->add_flag(
      "--force", args.force, "replace files that were edited by hand or not written by shmem-bind");
}

void add_target(CLI::App* command, Args& args) {
  command->add_option(
      "--cann",
      args.target.cann,
      "CANN toolkit; else ASCEND_HOME_PATH, else the simulated one beside this program");
  command->add_option(
      "--shmem", args.target.shmem, "SHMEM tree with install/; else SHMEM_REPO, SHMEM_HOME_PATH");
  command->add_option("--python",
                      args.target.python,
                      "Python with torch and torch_npu; else PYTHON, .venv, python3");
  command->add_flag("-v,--verbose", args.verbose, "show what the tools below say");
}

void add_verification(CLI::App* command, Args& args) {
  command->add_option("--pes", args.pes, "numbers of PEs, e.g. 2,8")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--seeds", args.seeds, "adversarial seeds of the simulator; 1,2,3,4,5 unless given")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--calls", args.calls, "calls on one operator object")
      ->check(CLI::Range(3, 100000));
  command->add_option("--deadline", args.deadline_s, "seconds for one job")
      ->check(CLI::PositiveNumber);
  command->add_flag("--fork-only", args.fork_only, "leave out the spawned and the torchrun job");
}

void add_commands(CLI::App& app, Args& args) {
  add_command(app,
              args,
              CommandName::kCheck,
              "check",
              "Compare contract and header; say what is missing. Changes nothing.");
  CLI::App* generate = add_command(app,
                                   args,
                                   CommandName::kGenerate,
                                   "generate",
                                   "Write the binding, its test and its scripts into the tree.");
  generate->add_flag("--dry-run", args.dry_run, "say what would be written, write nothing");
  CLI::App* diff = add_command(
      app, args, CommandName::kDiff, "diff", "Show what generate would change, and why.");
  CLI::App* build = add_command(app,
                                args,
                                CommandName::kBuild,
                                "build",
                                "Build kernel library and binding through the scripts.");
  CLI::App* verify = add_command(
      app,
      args,
      CommandName::kVerify,
      "verify",
      "Run the test of the tree as it stands on 2 and 8 PEs, eagerly and under adversarial seeds.");
  CLI::App* run = add_command(app, args, CommandName::kRun, "run", "generate, build and verify.");
  CLI::App* clean =
      add_command(app,
                  args,
                  CommandName::kClean,
                  "clean",
                  "Remove what generate wrote for this operator, and what build made of it.");
  clean->add_flag("--dry-run", args.dry_run, "say what would be removed, remove nothing");
  clean->add_flag(
      "--force", args.force, "clean files that were edited by hand too, and keep them aside");
  for (CLI::App* command : {generate, build, verify, run}) {
    add_gate(command, args);
  }
  for (CLI::App* command : {generate, run, diff}) {
    add_writing(command, args);
  }
  for (CLI::App* command : {build, verify, run}) {
    add_target(command, args);
  }
  add_verification(verify, args);
  add_verification(run, args);
}

// What to say when the first word is no command; CLI11 would only say that one is required.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.front() == '-' ||
      std::find(names.begin(), names.end(), word) != names.end()) {
    return "";
  }
  const std::string near = nearest_name(word, names);
  return "shmem-bind: there is no command '" + word + "'" +
         (near.empty() ? "" : "; did you mean " + near + "?") + "\n    way out: one of " +
         joined(names, ", ") + "; shmem-bind --help explains them\n";
}

}  // namespace

std::variant<Args, Farewell> parse_args(int argc, const char* const* argv) {
  Args args;
  CLI::App app{kAbout, "shmem-bind"};
  app.footer(kExits);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("shmem-bind ") + binding::kToolVersion);
  add_commands(app, args);
  if (std::string complaint = unknown_command(app, argc, argv); !complaint.empty()) {
    return Farewell{2, std::move(complaint)};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream complaint;
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error, out, complaint);
    return Farewell{asked ? 0 : 2, out.str() + complaint.str()};
  }
  return args;
}

}  // namespace shmem_bind::cli
