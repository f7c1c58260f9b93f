#pragma once

#include <string>
#include <vector>

#include "tool/binding/tree_problem.h"
#include "tool/contract/contract.h"

// What belongs to the other build mode and stands where this mode works: its product's name, its
// list of kernels, its files, a Torch project inside the operator (requirements S10, S15). Two
// bindings under one name would be mixed up in one process. Pure.

namespace shmem_bind::binding {

struct ModePaths {
  std::vector<std::string> texts;      // files whose texts are looked at
  std::vector<std::string> presences;  // files that must not be there, whatever is in them
};

ModePaths wrong_mode_paths(contract::BuildMode mode, const std::string& op_name);

// `existing` holds the texts, and any text for a file that is there.
std::vector<TreeProblem> wrong_mode_problems(contract::BuildMode mode,
                                             const std::string& op_name,
                                             const Texts& existing);

}  // namespace shmem_bind::binding
