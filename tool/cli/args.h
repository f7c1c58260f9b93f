#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tool/build/target.h"

namespace shmem_bind::cli {

enum class CommandName {
  kCheck,
  kGenerate,
  kDiff,
  kBuild,
  kVerify,
  kRun,
  kProve,
  kReplay,
  kReport,
  kClean,
  kLint,
  kExplain,
  kBatch,
  kInit,
  kDoctor,
  kMan,
  kCompletion
};

// The command line, read. One struct for all commands: a value that a command does not have keeps
// its default.
struct Args {
  CommandName command = CommandName::kCheck;
  std::string path;      // the operator's folder, or its design.md; of batch and lint: a folder
  std::string code;      // of explain; empty: all of them
  std::string shell;     // of completion
  std::string header;    // of init: the kernel's, when it lies elsewhere
  bool in_tree = false;  // of init
  bool json = false;
  bool verbose = false;
  bool accept_unverified = false;
  bool dry_run = false;
  bool force = false;
  bool seed_includes = false;
  build::TargetOptions target;
  // verify and run
  bool full = false;                // the whole matrix
  std::vector<int64_t> pes;         // empty: 2 and 8, as far as the contract allows
  std::vector<std::string> dtypes;  // empty: all
  std::vector<std::string> cases;   // empty: all
  std::vector<int64_t> seeds;       // empty: 1 to 5
  int64_t calls = 0;                // 0: as the plan has it
  int64_t deadline_s = 120;         // of one job
  bool keep_going = false;          // after a job that hung
  bool fork_only = false;           // leave out the spawned and the torchrun job
  std::vector<std::string> only;    // of prove: kinds or ids
  std::string junit;                // file to write; empty: none
  bool chinese = false;             // of the text report
  // replay and report: `path` is the verdict.json
  int64_t case_number = 0;  // of replay, as the report counts jobs, from 1
  std::string op_folder;    // the operator, when it lies elsewhere than the verdict says
  std::string output;       // of report; empty: beside the verdict
};

// What to print and how to exit when there is nothing to run: --help, --version, or a mistake in
// the command line (2).
struct Farewell {
  int exit_code = 0;
  std::string text;
};

std::variant<Args, Farewell> parse_args(int argc, const char* const* argv);

}  // namespace shmem_bind::cli
