#pragma once

#include <string>
#include <vector>

#include "tool/base/process.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"

namespace shmem_bind::build {

// One wrapper script and what it makes.
struct Step {
  std::string name;                   // "all_gather kernel", "torch binding"
  std::vector<std::string> products;  // paths of the libraries it makes
  Command command;
};

// Paths are absolute when the tree is.
struct Plan {
  std::vector<Step> steps;
  std::string kernel_library;
  std::string binding_library;
  std::string load_stamp;  // which libraries loaded last time
  bool with_load = true;   // ends with loading the binding
};

// Builds go through the tree's scripts, generated ones or, in-tree, scripts/build.sh; cmake and
// ninja below them decide what is out of date. The tree is the folder that holds custom-ops/, or
// examples/.
Plan plan_build(const std::string& tree, const contract::Contract& contract, const Target& target);

// Operators of one tree share a binding: a batch builds their kernels first, then the binding once.
enum class Part { kAll, kKernel, kBinding };
// Keeps the steps that make the part; only the binding is loaded. A script that makes both stays.
void keep_part(Plan& plan, Part part);

// The scripts that the plan runs.
std::vector<std::string> build_scripts(const std::string& tree, const contract::Contract& contract);

}  // namespace shmem_bind::build
