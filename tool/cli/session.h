#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/source_text.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"
#include "tool/verify/verify.h"

namespace shmem_bind::cli {

// Exit codes: scripts must tell "your input" from "my failure".
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kFindings = 10,
  kDiffers = 11,
  kBuildFailed = 12,
  kNotVerified = 13,
  kGate = 14,
};

// What the command line said.
struct Arguments {
  std::string command;
  std::string op;  // operator folder, or its docs/design.md
  bool json = false;
  bool force = false;
  bool dry_run = false;
  bool accept_unverified = false;
  build::TargetOptions target;
  verify::Options verify;
};

// One operator, read from disk: the texts, the contract, what was found.
class Session {
 public:
  Session(Arguments arguments, FileSystem& files, ProcessRunner& runner);

  int run();  // the command; its exit code

 private:
  int check();
  int generate();
  int diff();
  int build();
  int verify();
  int run_all();
  // Of everything a verdict depends on: libraries, test, contract, simulated CANN, options.
  std::string fingerprint();

  // Reads and checks; the exit code when it must end here.
  std::optional<int> load();
  std::optional<int> gates();
  std::optional<int> find_target();
  bool read_operator_folder();
  void print_findings();
  void say(const std::string& text) const;  // talk: standard error
  void print(const std::string& text) const;  // results: standard output

  Arguments arguments_;
  FileSystem& files_;
  ProcessRunner& runner_;
  std::string folder_;  // of the operator
  std::string tree_;    // holds custom-ops/
  SourceTexts texts_;
  Diagnostics diagnostics_;
  std::optional<contract::Contract> contract_;
  std::optional<build::Target> target_;
};

}  // namespace shmem_bind::cli
