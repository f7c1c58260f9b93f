#pragma once

#include <string>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/contract/contract.h"

namespace shmem_bind::verify {

// A known-bad variant and what became of it; shmem-bind prove makes them.
struct Mutant {
  std::string id;
  std::string kind;   // binding, test, kernel
  std::string title;  // what is wrong with it
  std::string state;  // killed, equivalent, not applicable, survived, invalid
  std::string by;     // what killed it, or what would
  double seconds = 0;
};

// Where prove writes what it found.
std::string proof_path(const contract::Contract& contract, const std::string& tree);

// Of what a proof is about beside the contract: every source and header of the operator.
std::string sources_digest(const contract::Contract& contract,
                           const std::string& tree,
                           FileSystem& files);

}  // namespace shmem_bind::verify
