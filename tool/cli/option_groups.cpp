#include "tool/cli/option_groups.h"

#include "tool/base/text.h"
#include "tool/cli/number_list.h"

namespace shmem_bind::cli {
namespace {

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

}  // namespace

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

}  // namespace shmem_bind::cli
