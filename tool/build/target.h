#pragma once

#include <cstdint>
#include <string>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/result.h"

// Where a binding is built and run: three roots. The simulator is one target like any other;
// nothing else in the tool knows whether a board or a laptop is meant.

namespace shmem_bind::build {

struct Target {
  std::string cann;    // holds set_env.sh, include, lib64, compiler
  std::string shmem;   // SHMEM's tree: holds install/set_env.sh and install/shmem
  std::string python;  // has torch and torch_npu
  bool simulated = false;
  std::string cann_version;       // "8.5.0"
  std::string torch_version;      // "2.13.0+cpu"
  std::string torch_npu_version;  // "2.13.0"
  std::string python_version;     // "3.11.2"
  int64_t jobs = 0;               // parallel compiles of the scripts (JOBS); 0: their default
};

// What the command line said; empty: not said.
struct TargetOptions {
  std::string cann;
  std::string shmem;
  std::string python;
  std::string beside;  // the folder of the running program: the simulated CANN may lie in ../cann
                       // and ../shmem
  int64_t jobs = 0;
};

// The option, else the environment (ASCEND_HOME_PATH, SHMEM_REPO or SHMEM_HOME_PATH, PYTHON), else
// what lies beside the program, else (Python) .venv above the program or python3. Checks that the
// roots are what they claim, that CANN and SHMEM are both simulated or both real, and that torch
// and torch_npu have one version. Starts Python once (50 ms).
Result<Target> find_target(const TargetOptions& options, FileSystem& files, ProcessRunner& runner);

// The same, part by part, for who wants to know everything that is wrong: each failure stands by
// itself, and the rest is found as far as it goes. Python is started only by find_target.
struct Survey {
  Target target;
  Result<Done> cann = Done{};
  Result<Done> shmem = Done{};
  Result<Done> one_world = Done{};  // asked when both were found
};
Survey survey_target(const TargetOptions& options, FileSystem& files);
std::string python_of(const TargetOptions& options, FileSystem& files);

// The words that run `words` in the environment both set_env.sh make, with the roots exported under
// the names the generated scripts read.
Command in_environment(const Target& target, std::vector<std::string> words);

}  // namespace shmem_bind::build
