#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/build/plan.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"

namespace shmem_bind::build {

enum class BuildEnd {
  kDone,
  kNotStarted,  // a script is missing, or a program it needs
  kConfigure,   // CMake
  kCompile,
  kLink,
  kTimeout,
  kNoProduct,  // the script said success and made nothing
  kSymbols,    // the kernel library lacks an instantiation
  kLoad,       // the binding does not load
  kUnknown,    // the output shows no known sign
};
std::string_view name_of(BuildEnd end);
// The class that a job of verify would have, and what to look at first; empty when it is done.
std::string_view class_of(BuildEnd end);
std::string_view hint_of(BuildEnd end);

struct StepReport {
  std::string name;
  bool changed = false;  // the product is new
  double seconds = 0;
  std::string output;
};

struct BuildReport {
  BuildEnd end = BuildEnd::kDone;
  std::string failed_step;
  std::vector<std::string> findings;  // the lines that say why: compiler errors, missing symbols
  std::vector<StepReport> steps;

  bool ok() const { return end == BuildEnd::kDone; }
  bool changed() const;
};

// Called for every line of output, with the step it belongs to.
using OnProgress = std::function<void(std::string_view step, std::string_view line)>;

// Kernel library, its symbols, binding, and that the binding loads (only when a library is new).
// Blocks; a step is ended after its deadline with everything it started.
BuildReport run_build(const Plan& plan,
                      const contract::Contract& contract,
                      const Target& target,
                      FileSystem& files,
                      ProcessRunner& runner,
                      const OnProgress& on_progress);

// What kind of failure a script's output shows, and its first lines that say so.
BuildEnd classify(std::string_view output, std::vector<std::string>& lines);

}  // namespace shmem_bind::build
