#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/binding/file_set.h"
#include "tool/contract/contract.h"

// build_mode in_tree_example: the operator examples/<op>/ joins the examples/torch_binding/ that a
// SHMEM source tree has already, and becomes part of aclshmem_torch.so.
//
// In files of the tree only marked regions are ours: examples/CMakeLists.txt (kernel library),
// examples/torch_binding/CMakeLists.txt (sources), examples/torch_binding/include/
// shmem_torch_kernel.h (declaration). Beside them lie files of our own in examples/torch_binding/.
// The tree's torch_register.h and torch_bindings.cpp are read and never changed: our classes are
// registered by shmem_ops_register.h, so the six methods of the tree's macro do not bind us, and a
// Manager is added, in a file of its own, only when the tree has none. Pure.

namespace shmem_bind::binding {

using Texts = std::map<std::string, std::string>;  // by path below the tree

// A tree that the operator cannot join; nothing may be written then, whatever is forced.
struct TreeProblem {
  std::string path;
  size_t at = 0;     // byte of the place, 0 when it is about the whole file
  std::string text;  // what is wrong
  std::string way_out;
};

struct InTreePlan {
  Plan plan;  // empty when there are problems
  std::vector<TreeProblem> problems;
};

// The files whose present texts plan_in_tree() wants to see.
std::vector<std::string> in_tree_paths(const contract::Contract& contract);

InTreePlan plan_in_tree(const contract::Contract& contract, const Texts& existing);

}  // namespace shmem_bind::binding
