#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/binding/tree_problem.h"
#include "tool/contract/contract.h"

// Taking one operator's binding out of a tree again: exactly what generate wrote, nothing else.
// Needs no contract, so that an operator whose contract is broken can be cleaned. Pure.

namespace shmem_bind::binding {

struct CleanedFile {
  enum class Action {
    kRemove,
    kUpdate,    // our lines leave a file that stays
    kKeep,      // not ours, or still needed
    kConflict,  // a person edited what would be lost: only when forced, and kept aside
    kBroken     // our lines cannot be told from others
  };
  Action action = Action::kKeep;
  std::string text;    // kUpdate, and kConflict in a file that stays: what will stand there
  bool stays = false;  // kConflict: the file stays, with `text`
  std::string reason;  // kKeep, kConflict, kBroken
};
using CleanPlan = std::map<std::string, CleanedFile>;  // only files that are there and concern us

// `existing`: the texts of the `own`, `shared` and `foreign` files of places_of(). `others`:
// operators that have sources in the Torch project.
CleanPlan plan_clean(contract::BuildMode mode,
                     const std::string& op_name,
                     const Texts& existing,
                     const std::vector<std::string>& others);

// The operators beside this one that have lines in the tree's files or are among `others`, sorted.
std::vector<std::string> users_of_shared(contract::BuildMode mode,
                                         const std::string& op_name,
                                         const Texts& existing,
                                         const std::vector<std::string>& others);

}  // namespace shmem_bind::binding
