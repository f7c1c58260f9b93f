#pragma once

#include <string>
#include <vector>

#include "tool/binding/tree_problem.h"
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

// `existing`: the present texts of what paths_to_read() names (plan_tree.h).
TreePlan plan_in_tree(const contract::Contract& contract, const Texts& existing);

}  // namespace shmem_bind::binding
