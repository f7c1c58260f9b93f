#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/binding/file_set.h"
#include "tool/build/plan.h"
#include "tool/cli/args.h"
#include "tool/cli/json.h"
#include "tool/contract/read.h"

// What all commands share: the operator they are about, and what they have to say. Commands do not
// print; main does.

namespace shmem_bind::cli {

// docs/contract.md, exit codes. Scripts rely on them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;  // the tool or the machine
inline constexpr int kExitUsage = 2;
inline constexpr int kExitContract = 10;  // findings
inline constexpr int kExitDiffers = 11;
inline constexpr int kExitBuild = 12;
inline constexpr int kExitVerify = 13;
inline constexpr int kExitGate = 14;

struct Outcome {
  int exit_code = kExitDone;
  std::string text;      // the result, for standard output
  std::string messages;  // the talk, for standard error
  std::string why;       // one line for a batch's table; else the first of the messages says it
  std::string skipped;   // the operator's name, when nobody asked for its binding
  std::string state;     // of the verdict, when there is one
  JsonObject json;       // the same, for --format json
};

struct Environment {
  const Args& args;
  FileSystem& files;
  ProcessRunner& runner;
  std::function<void(std::string_view)> progress;  // a line for standard error, at once
  std::function<void(Outcome&)>
      flush;  // prints what a finished stage said, so that a long run shows where it is
};

// An operator's files, read and checked.
struct Operator {
  std::string folder;                                                   // absolute
  std::string name;                                                     // of the folder
  contract::BuildMode mode = contract::BuildMode::kIndependentProject;  // by where the folder lies
  std::string tree;  // the folder above custom-ops/, or above examples/ of a SHMEM source tree
  contract::Sources sources;
  Diagnostics diagnostics;
  bool is_valid = false;  // false: the diagnostics have errors, and the contract is empty
  contract::Contract contract;
};

// Reads `path` (the folder, or docs/design.md in it). Files that are missing become diagnostics; a
// path that does not exist is a failure.
Result<Operator> open_operator(const std::string& path, FileSystem& files);

// The operator of a command that changes or runs something: its contract is in order, it wants a
// Torch binding, its gates are passed or --accept-unverified stands. Otherwise nothing, and the
// outcome says why and how to exit.
std::optional<Operator> open_gated(Environment& environment, Outcome& outcome);

Outcome command_check(Environment& environment);
Outcome command_generate(Environment& environment);
Outcome command_diff(Environment& environment);
Outcome command_build(Environment& environment);
Outcome command_verify(Environment& environment);
Outcome command_run(Environment& environment);
Outcome command_prove(Environment& environment);
Outcome command_replay(Environment& environment);
Outcome command_report(Environment& environment);
Outcome command_clean(Environment& environment);
Outcome command_explain(Environment& environment);
Outcome command_batch(Environment& environment);
Outcome command_init(Environment& environment);
Outcome command_lint(Environment& environment);
Outcome command_doctor(Environment& environment);
Outcome command_man(Environment& environment);
Outcome command_completion(Environment& environment);

// Steps that `run` chains; each fills the outcome and says whether to go on.
bool generate(Environment& environment, const Operator& op, Outcome& outcome);
// The plan of `generate` if it would write nothing. Reads only, and without the tree's lock: many
// operators can be asked at once.
std::optional<binding::Plan> unchanged_plan(const Operator& op, FileSystem& files);
// What `generate` says of a plan that is carried out.
void tell_plan(const Args& args, const binding::Plan& plan, Outcome& outcome);
std::optional<build::Target> open_target(Environment& environment, Outcome& outcome);
bool build_operator(Environment& environment,
                    const Operator& op,
                    const build::Target& target,
                    Outcome& outcome,
                    build::Part part = build::Part::kAll);
// False, and said, when --pes, --dtypes or --cases ask for what the contract has not.
bool options_fit(const Args& args, const contract::Contract& contract, Outcome& outcome);
std::vector<int64_t> planned_pes(const Args& args, const contract::Contract& contract);
// Shows the verdict again that the same libraries, test and simulator have got, or verifies.
void verify_unless_unchanged(Environment& environment,
                             const Operator& op,
                             const build::Target& target,
                             Outcome& outcome);

// Diagnostics as text into the messages and as JSON into the object.
void report(const Operator& op, Outcome& outcome);
void fail(Outcome& outcome, const Failure& failure);

}  // namespace shmem_bind::cli
