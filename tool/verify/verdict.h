#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/result.h"
#include "tool/verify/message.h"
#include "tool/verify/mutant.h"
#include "tool/verify/verify.h"

// What was run, with what, and what it proves: docs/verdict.md.

namespace shmem_bind::verify {

enum class State {
  kVerified,
  kFailed,
  kUnverified,  // nothing failed, but something that had to be shown was not
  kSkipped      // nobody asked for a binding of this operator
};
std::string_view name_of(State state);

enum class CheckState {
  kPassed,
  kFailed,
  kOpen,   // not shown
  kWaived  // not shown, because the command line said so
};
std::string_view name_of(CheckState state);

struct Check {
  std::string name;  // "pes"
  CheckState state = CheckState::kOpen;
  Message why;
};

// As they were found; empty where nobody could say.
struct Versions {
  std::string tool;
  std::string torch;
  std::string torch_npu;  // what the workers had loaded
  std::string torch_npu_path;
  std::string torch_npu_installed;  // beside Python
  std::string cann;
  std::string cann_path;
  bool simulated = false;
  std::string shmem_path;
  std::string compiler;  // of the binding's library
  std::string python;
  std::string python_path;
};

using Sizes = std::map<std::string, int64_t>;  // shape symbol -> size

struct Verdict {
  std::string op;
  std::string folder;  // of the operator, absolute
  std::string digest;  // of its contract
  State state = State::kFailed;
  bool full = false;  // the whole matrix was asked for
  Versions versions;
  int64_t deadline_s = 120;            // of one job
  std::map<std::string, Sizes> cases;  // of the contract, by name
  std::vector<JobResult> jobs;
  std::vector<Check> checks;
  std::vector<Mutant> mutants;        // empty: not run
  std::vector<std::string> findings;  // of the simulator
  std::vector<std::string> problems;  // that belong to no job: a crash, a missing report
  std::vector<std::string> warnings;  // the tree differs from what generate would write

  bool verified() const { return state == State::kVerified; }
};

// Checks that did not pass, each in one line.
std::vector<Message> reasons(const Verdict& verdict);

// The first thing that went wrong, or is not shown; one line.
std::string headline(const Verdict& verdict, Language language = Language::kEnglish);

// One place of the matrix: all jobs that ran a dtype and a case on a number of PEs.
struct Cell {
  enum class State { kPassed, kUnclear, kFailed };  // unclear: its job failed, by something else
  int64_t pes = 0;
  std::string dtype;
  std::string case_name;
  State state = State::kPassed;
  int64_t jobs = 0;
  int64_t calls = 0;  // on each PE
};
std::string_view name_of(Cell::State state);

// In the order in which the jobs came to them.
std::vector<Cell> matrix_of(const Verdict& verdict);

// docs/verdict.schema.json.
std::string to_json(const Verdict& verdict);
// Of `text`, a verdict.json; `name` for the failure.
Result<Verdict> read_verdict(const std::string& text, const std::string& name);

std::string to_text(const Verdict& verdict, Language language = Language::kEnglish);
// A suite for each.
std::string to_junit(const std::vector<Verdict>& verdicts);

}  // namespace shmem_bind::verify
