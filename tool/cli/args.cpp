#include "tool/cli/args.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"
#include "tool/cli/command_line.h"
#include "tool/cli/number_list.h"

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

constexpr const char* kOutput =
    "Results go to standard output, talk to standard error; --format json gives both as one object "
    "on standard output.";

// docs/contract.md of the specification, section 6; command.h names them for the code.
const std::vector<ExitCode> kExitCodes = {
    {0, "done or skipped"},
    {1, "the tool or the machine failed"},
    {2, "usage"},
    {10, "the contract, the header or, with lint, the tree has findings"},
    {11, "the tree differs"},
    {12, "build failed"},
    {13, "verification failed"},
    {14, "evidence is missing: correctness, review, or what makes a verdict complete"},
};

std::string footer() {
  std::string text = "\nExit codes:";
  for (const ExitCode& exit : kExitCodes) {
    text += fmt::format("\n  {:<3} {}", exit.code, exit.meaning);
  }
  return text + "\n" + kOutput;
}

CLI::App* add_word(CLI::App& app,
                   Args& args,
                   CommandName name,
                   const std::string& word,
                   const std::string& about) {
  CLI::App* command = app.add_subcommand(word, about);
  command->callback([&args, name] { args.command = name; });
  return command;
}

// Adds what every command has that is not about shmem-bind itself.
CLI::App* add_plain_command(CLI::App& app,
                            Args& args,
                            CommandName name,
                            const std::string& word,
                            const std::string& about) {
  CLI::App* command = add_word(app, args, name, word, about);
  command
      ->add_option_function<std::string>(
          "--format",
          [&args](const std::string& format) { args.json = format == "json"; },
          "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  return command;
}

// Adds a command about one operator.
CLI::App* add_command(CLI::App& app,
                      Args& args,
                      CommandName name,
                      const std::string& word,
                      const std::string& about) {
  CLI::App* command = add_plain_command(app, args, name, word, about);
  command->add_option("operator", args.path, "the operator's folder, or its docs/design.md")
      ->required();
  return command;
}

// Adds an option that takes numbers and ranges.
void add_numbers(CLI::App* command,
                 const std::string& name,
                 std::vector<int64_t>& numbers,
                 const std::string& about) {
  const auto take = [&numbers, name](const CLI::results_t& texts) {
    const auto read = parse_number_list(joined(texts, ","));
    if (!read.ok()) {
      throw CLI::ValidationError(name, read.failure().text);
    }
    numbers = read.value();
    return true;
  };
  command->add_option(name, take, about)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)  // may be given again
      ->allow_extra_args(false)
      ->type_name("N[,N|N..N]");
}

void add_names(CLI::App* command,
               const std::string& name,
               std::vector<std::string>& names,
               const std::string& about) {
  command->add_option(name, names, about)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME]");
}

void add_gate(CLI::App* command, Args& args) {
  command->add_flag("--accept-unverified",
                    args.accept_unverified,
                    "go on without correctness and review evidence; every verdict says so");
}

void add_writing(CLI::App* command, Args& args) {
  command->add_flag(
      "--force", args.force, "replace files that were edited by hand or not written by shmem-bind");
  command->add_flag("--seed-includes",
                    args.seed_includes,
                    "the seed document's include list in the operator's file, which compiles three "
                    "times as long; torch_binding.seed_includes: true makes it last");
}

void add_roots(CLI::App* command, Args& args) {
  command
      ->add_option(
          "--cann",
          args.target.cann,
          "CANN toolkit; else ASCEND_HOME_PATH, else the simulated one beside this program")
      ->type_name("PATH");
  command
      ->add_option("--shmem",
                   args.target.shmem,
                   "SHMEM tree with install/; else SHMEM_REPO, SHMEM_HOME_PATH")
      ->type_name("PATH");
  command
      ->add_option("--python",
                   args.target.python,
                   "Python with torch and torch_npu; else PYTHON, .venv, python3")
      ->type_name("PATH");
}

void add_target(CLI::App* command, Args& args) {
  add_roots(command, args);
  command->add_option("--jobs", args.target.jobs, "parallel compiles; 2 unless given")
      ->check(CLI::Range(1, 1024));
  command->add_flag("-v,--verbose", args.verbose, "show what the tools below say");
}

void add_verification(CLI::App* command, Args& args) {
  command->add_flag("--full",
                    args.full,
                    "the whole matrix: 1, 2, 3, 4 and 8 PEs, every dtype and case, shapes at the "
                    "boundaries, ten seeds");
  add_numbers(command, "--pes", args.pes, "numbers of PEs, e.g. 2,8 or 2..8");
  add_names(command, "--dtypes", args.dtypes, "only these dtypes of the contract, e.g. int8,fp16");
  add_names(command, "--cases", args.cases, "only these cases of the contract, e.g. xs,tail");
  add_numbers(command,
              "--seeds",
              args.seeds,
              "adversarial seeds of the simulator, e.g. 1..200; 1..5 unless given, 1..10 with "
              "--full");
  command
      ->add_option(
          "--calls", args.calls, "calls on one operator object; 6 unless given, 3 with --full")
      ->check(CLI::Range(3, 100000));
  command->add_flag("--keep-going",
                    args.keep_going,
                    "also run what comes after a job that did not end, on as many PEs");
  command->add_option("--deadline", args.deadline_s, "seconds for one job")
      ->check(CLI::PositiveNumber);
  command->add_flag("--fork-only", args.fork_only, "leave out the spawned and the torchrun job");
}

void add_language(CLI::App* command, Args& args) {
  command
      ->add_option_function<std::string>(
          "--lang",
          [&args](const std::string& language) { args.chinese = language == "zh"; },
          "language of the report: en unless given")
      ->check(CLI::IsMember({"en", "zh"}));
}

void add_junit(CLI::App* command, Args& args) {
  command->add_option("--junit", args.junit, "write JUnit XML, too: a suite for each verdict")
      ->type_name("PATH");
}

void add_reports(CLI::App* command, Args& args) {
  add_junit(command, args);
  add_language(command, args);
}

void add_verdict(CLI::App* command, Args& args) {
  command->add_option("verdict", args.path, "the verdict.json that verify wrote")->required();
  command
      ->add_option("--operator",
                   args.op_folder,
                   "the operator's folder, when it lies elsewhere than the verdict says")
      ->type_name("PATH");
}

// Commands about a verdict.
void add_verdict_commands(CLI::App& app, Args& args) {
  CLI::App* replay = add_plain_command(app,
                                       args,
                                       CommandName::kReplay,
                                       "replay",
                                       "Repeat one job of a verdict: same seed, PEs, dtypes and "
                                       "cases; say whether the result is the same.");
  add_verdict(replay, args);
  replay->add_option("--case", args.case_number, "number of the job, as the report counts")
      ->required()
      ->check(CLI::Range(1, 1000000));
  add_gate(replay, args);
  add_roots(replay, args);
  add_reports(replay, args);
  replay->add_flag("-v,--verbose", args.verbose, "show what the test says");
  CLI::App* report = add_plain_command(
      app, args, CommandName::kReport, "report", "Write a verdict as one HTML page.");
  add_verdict(report, args);
  add_junit(report, args);
  report->add_option("-o,--output", args.output, "the page; else report.html beside the verdict")
      ->type_name("PATH");
}

// Commands that are not about an operator that is there.
void add_helpers(CLI::App& app, Args& args) {
  CLI::App* init = add_plain_command(app,
                                     args,
                                     CommandName::kInit,
                                     "init",
                                     "Write a contract to fill in, from the kernel header.");
  init->add_option("folder", args.path, "the operator's folder, custom-ops/<op>")->required();
  init->add_option("--header", args.header, "the kernel header; else src/<op>_kernel.h")
      ->type_name("PATH");
  init->add_flag("--in-tree", args.in_tree, "the operator is one of a SHMEM tree's examples/");
  init->add_flag("--dry-run", args.dry_run, "print what would be written, write nothing");
  CLI::App* doctor =
      add_plain_command(app,
                        args,
                        CommandName::kDoctor,
                        "doctor",
                        "Look at what building and verifying need; say what repairs it.");
  add_roots(doctor, args);
  CLI::App* explain = add_plain_command(
      app, args, CommandName::kExplain, "explain", "Say what a diagnostic means; all without one.");
  explain->add_option("code", args.code, "the code of the diagnostic, e.g. C011");
  add_plain_command(
      app, args, CommandName::kMan, "man", "Print this manual as a man page (troff).");
  CLI::App* completion = add_plain_command(app,
                                           args,
                                           CommandName::kCompletion,
                                           "completion",
                                           "Print what completes shmem-bind's words in a shell.");
  completion->add_option("shell", args.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
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
  CLI::App* prove = add_command(
      app,
      args,
      CommandName::kProve,
      "prove",
      "Build and run wrong variants of binding, test and kernel; each has to be found.");
  add_names(prove, "--only", args.only, "binding, test, kernel, or ids of variants: proves nothing");
  add_verdict_commands(app, args);
  CLI::App* batch = add_plain_command(
      app, args, CommandName::kBatch, "batch", "run, for every operator at or below a folder.");
  batch->add_option("folder", args.path, "operators are its folders with docs/design.md")
      ->required();
  batch->add_flag("--dry-run", args.dry_run, "say what would be written and run, do neither");
  CLI::App* lint = add_plain_command(
      app,
      args,
      CommandName::kLint,
      "lint",
      "Judge bindings, builds, tests and documents of a tree, written by hand or not.");
  lint->add_option("tree", args.path, "a folder, such as custom-ops")->required();
  CLI::App* clean =
      add_command(app,
                  args,
                  CommandName::kClean,
                  "clean",
                  "Remove what generate wrote for this operator, and what build made of it.");
  clean->add_flag("--dry-run", args.dry_run, "say what would be removed, remove nothing");
  clean->add_flag(
      "--force", args.force, "clean files that were edited by hand too, and keep them aside");
  for (CLI::App* command : {generate, build, verify, run, prove, batch}) {
    add_gate(command, args);
  }
  for (CLI::App* command : {generate, run, diff, batch}) {
    add_writing(command, args);
  }
  for (CLI::App* command : {build, verify, run, prove, batch}) {
    add_target(command, args);
  }
  add_verification(verify, args);
  add_verification(run, args);
  add_reports(verify, args);
  add_reports(run, args);
  add_verification(batch, args);
  add_junit(batch, args);
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

const char* about_text() {
  return kAbout;
}

const char* output_rules() {
  return kOutput;
}

const std::vector<ExitCode>& exit_codes() {
  return kExitCodes;
}

void describe_command_line(CLI::App& app, Args& args) {
  app.footer(footer());
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("shmem-bind ") + binding::kToolVersion);
  add_commands(app, args);
  add_helpers(app, args);
}

std::variant<Args, Farewell> parse_args(int argc, const char* const* argv) {
  Args args;
  CLI::App app{kAbout, "shmem-bind"};
  describe_command_line(app, args);
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
