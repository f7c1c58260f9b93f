#pragma once

#include <string>
#include <vector>

#include "tool/binding/tree_problem.h"
#include "tool/contract/contract.h"

// What generating means for a tree as it stands, in both build modes. Pure.

namespace shmem_bind::binding {

// The files whose present texts plan_tree() wants to see, and those of which it wants to know
// whether they are there.
std::vector<std::string> paths_to_read(const contract::Contract& contract);
std::vector<std::string> paths_to_look_for(const contract::Contract& contract);

// `existing` holds what is there of both; the texts of the latter do not matter.
TreePlan plan_tree(const contract::Contract& contract, const Texts& existing);

}  // namespace shmem_bind::binding
