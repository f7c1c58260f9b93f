#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tool/binding/file_set.h"

namespace shmem_bind::binding {

using Texts = std::map<std::string, std::string>;  // by path below the tree

// A tree that an operator cannot join as it stands; nothing may be written then, whatever is
// forced.
struct TreeProblem {
  std::string path;
  size_t at = 0;     // byte of the place, 0 when it is about the whole file
  std::string text;  // what is wrong
  std::string way_out;
};

// What generating means for a tree as it stands.
struct TreePlan {
  Plan plan;  // empty when there are problems
  std::vector<TreeProblem> problems;
};

}  // namespace shmem_bind::binding
