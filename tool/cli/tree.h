#pragma once

#include <string>
#include <vector>

#include "tool/binding/plan_tree.h"
#include "tool/cli/command.h"

// The tree around an operator, as it stands on the disk.

namespace shmem_bind::cli {

std::string below(const std::string& folder, const std::string& path);

// The present texts of those files that exist.
Result<binding::Texts> present(const std::vector<std::string>& paths,
                               const std::string& tree,
                               FileSystem& files);

// What generating means for the tree.
struct Proposal {
  binding::Texts texts;  // the present ones
  binding::TreePlan tree;
};
Result<Proposal> propose(const Operator& op, FileSystem& files);

// Tells why the operator cannot join the tree; true when it can.
bool settle_problems(const std::vector<binding::TreeProblem>& problems,
                     const binding::Texts& texts,
                     Outcome& outcome);

// Tells what of the other build mode stands in the tree; true when there is nothing.
bool mode_is_right(const Operator& op, FileSystem& files, Outcome& outcome);

// Where a text that a person edited is kept when it is replaced or removed: a name that is free, or
// that holds this text already.
std::string aside(const std::string& path,
                  const std::string& text,
                  const std::string& tree,
                  FileSystem& files);

// Operators with a file src/torch_bind_<op>.cpp in the Torch project at `binding`, without `op`.
std::vector<std::string> other_sources(const Operator& op,
                                       const std::string& binding,
                                       FileSystem& files);

}  // namespace shmem_bind::cli
