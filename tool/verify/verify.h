#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/result.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"

// The generated test, run on the tree as it stands: never regenerated here. Eagerly and under
// adversarial seeds, forked, spawned and under torchrun.

namespace shmem_bind::verify {

struct Options {
  bool full = false;         // the whole matrix, docs/verdict.md
  std::vector<int64_t> pes;  // empty: 2 and 8, as far as the contract allows; full: also 1, 3, 4
  std::vector<std::string> dtypes;  // empty: all
  std::vector<std::string> cases;   // of the contract; empty: all, and zero size
  std::vector<int64_t> seeds;       // adversarial; empty: 1 to 5; full: to 10
  int64_t calls = 0;                // on one operator object; 0: 6; full: 3
  int64_t deadline_s = 120;         // of one job
  bool launchers = true;            // also spawned, and under torchrun
  bool keep_going = false;          // also after a job that hung
};

// One run of the test with one setting.
struct Job {
  std::string name;      // "2 PEs, seed 3"
  std::string launcher;  // fork, spawn, torchrun
  int64_t pes = 2;
  int64_t seed = 0;  // of the data
  int64_t calls = 6;
  std::vector<std::string> dtypes;
  std::vector<std::string> cases;
  std::vector<std::pair<std::string, std::string>>
      environment;            // of the simulator; without meaning on a board
  bool mixed = false;         // shapes and dtypes alternate from call to call
  bool side_streams = false;  // each call on another stream, ordered by events
  int64_t objects = 1;        // of the operator's class, used in turns
  int64_t lives = 1;          // SHMEM initialised and finalised so often; they share the calls
  // Of the cases, those that are not the contract's: name -> symbols and attributes as literals.
  std::map<std::string, std::map<std::string, std::string>> derived = {};
  bool wrong_calls = false;  // first calls that compute() must refuse, then the usual ones
  // Of these: what the contract requires -> the sizes and attributes of a call that breaks only it.
  std::map<std::string, std::map<std::string, std::string>> refused = {};
};

// What is run, in order. Pure.
std::vector<Job> plan_jobs(const contract::Contract& contract, const Options& options);

// A call whose result was not the golden's, as the test reports it.
struct FailedCall {
  int64_t pe = 0;
  std::string dtype;
  std::string case_name;
  int64_t call = 0;
  std::string layout;
  std::string detail;  // the first difference
  double seconds = 0;
};

struct JobResult {
  Job job;
  bool passed = false;
  std::string skipped;   // why it was not run; it has not passed then
  int64_t records = 0;   // results that PEs filed, one per call
  int64_t expected = 0;  // how many had to be
  double seconds = 0;
  std::vector<std::string> problems;
  // Of a job that failed, as far as the test could say: compile, link, load, launch, init, timeout,
  // mismatch, lifecycle or environment; what to do; the first error that is no consequence.
  std::string failure_class;
  std::string hint;
  std::string first_error;
  std::map<std::string, std::string> stands;  // PE -> where it stood at the deadline
  std::vector<FailedCall> calls;              // at most 50
  std::string comparison;                     // by which results were compared
  std::string retried;                        // why it was run a second time; mostly empty
};

using OnLine = std::function<void(std::string_view)>;

// What a verification works on and with.
struct Surroundings {
  std::string tree;  // holds custom-ops/, or examples/
  const build::Target& target;
  FileSystem& files;
  ProcessRunner& runner;
  OnLine on_line;  // every line the test prints
};

struct Verdict;  // verdict.h

// Runs the plan and judges it. Blocks; everything it starts is ended.
Verdict run_verify(const contract::Contract& contract,
                   const Options& options,
                   const Surroundings& surroundings);

// Runs these jobs and no others; without a judgement of what else had to be run.
Verdict run_jobs(const contract::Contract& contract,
                 const std::vector<Job>& jobs,
                 const Options& options,
                 const Surroundings& surroundings);

}  // namespace shmem_bind::verify
