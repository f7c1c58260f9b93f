#include "tool/binding/file_set.h"
#include "tool/cli/command_line.h"
#include "tool/cli/option_groups.h"

// The commands, each with its words and options.

namespace shmem_bind::cli {
namespace {

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

// From the contract to the libraries.
void add_making(CLI::App& app, Args& args) {
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
  add_gate(generate, args);
  add_writing(generate, args);
  CLI::App* diff = add_command(
      app, args, CommandName::kDiff, "diff", "Show what generate would change, and why.");
  add_writing(diff, args);
  CLI::App* build = add_command(app,
                                args,
                                CommandName::kBuild,
                                "build",
                                "Build kernel library and binding through the scripts.");
  add_gate(build, args);
  add_target(build, args);
}

void add_proving(CLI::App& app, Args& args) {
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
  add_names(
      prove, "--only", args.only, "binding, test, kernel, or ids of variants: proves nothing");
  add_gate(prove, args);
  add_target(prove, args);
  add_gate(verify, args);
  add_gate(run, args);
  add_writing(run, args);
  for (CLI::App* command : {verify, run}) {
    add_target(command, args);
    add_verification(command, args);
    add_reports(command, args);
  }
}

// Commands about trees, and what is taken out of one.
void add_trees(CLI::App& app, Args& args) {
  CLI::App* batch = add_plain_command(
      app, args, CommandName::kBatch, "batch", "run, for every operator at or below a folder.");
  batch->add_option("folder", args.path, "operators are its folders with docs/design.md")
      ->required();
  batch->add_flag("--dry-run", args.dry_run, "say what would be written and run, do neither");
  add_gate(batch, args);
  add_writing(batch, args);
  add_target(batch, args);
  add_verification(batch, args);
  add_junit(batch, args);
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
}

}  // namespace

void describe_command_line(CLI::App& app, Args& args) {
  app.footer(usage_footer());
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("shmem-bind ") + binding::kToolVersion);
  add_making(app, args);
  add_proving(app, args);
  add_verdict_commands(app, args);
  add_trees(app, args);
  add_helpers(app, args);
}

}  // namespace shmem_bind::cli
