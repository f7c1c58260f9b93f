#pragma once

#include <string>
#include <vector>

#include "tool/base/process.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"

namespace shmem_bind::build {

// One wrapper script and what it makes. Paths are below the tree, the folder that holds
// custom-ops/.
struct Step {
  std::string name;     // "all_gather kernel", "torch binding"
  std::string product;  // path of the library it makes
  Command command;
};

struct Plan {
  Step kernel;
  Step binding;
  // Several operators of one tree share a binding: what of the plan is run.
  bool with_kernel = true;
  bool with_binding = true;  // and that it loads
};

std::string kernel_library(const std::string& tree, const std::string& op_name);
std::string binding_library(const std::string& tree);

// Builds go through the generated scripts; cmake and ninja below them decide what is out of date.
Plan plan_build(const std::string& tree, const contract::Contract& contract, const Target& target);

}  // namespace shmem_bind::build
