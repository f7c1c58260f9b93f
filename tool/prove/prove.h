#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/build/target.h"
#include "tool/contract/contract.h"
#include "tool/verify/mutant.h"

// Proof by mutation: wrong variants of binding, test and kernel are built and run; each has to be
// found. The user's files and libraries stay as they are: everything lies in prove/ beside them.

namespace shmem_bind::prove {

struct Options {
  std::vector<std::string> only;  // kinds or ids; empty: all of them
};

struct Surroundings {
  std::string tree;  // holds custom-ops/, or examples/
  const build::Target& target;
  FileSystem& files;
  ProcessRunner& runner;
  std::function<void(std::string_view)> progress;
};

struct Proof {
  std::string op;
  std::string contract;  // digest
  std::string sources;   // digest
  bool is_whole = true;  // nothing was left out
  std::vector<verify::Mutant> mutants;
  std::vector<std::string> problems;  // why nothing was proved
  bool interrupted = false;
  double seconds = 0;

  // Everything was run and found, of enough variants of each kind.
  bool holds() const;
  // What is missing for that; empty when it holds.
  std::vector<std::string> reasons() const;
};

// The folder that a proof works in, below the tree.
std::string proof_folder(const contract::Contract& contract, const std::string& tree);

// Blocks; everything it starts is ended.
Proof run_prove(const contract::Contract& contract,
                const Options& options,
                const Surroundings& around);

std::string to_json(const Proof& proof);
std::string to_text(const Proof& proof);

}  // namespace shmem_bind::prove
