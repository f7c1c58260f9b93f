#pragma once

#include <string>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/contract/contract.h"
#include "tool/verify/json_fields.h"
#include "tool/verify/mutant.h"

namespace shmem_bind::verify {

// Name of the record that shmem-bind prove leaves beside verdict.json.
inline constexpr const char* kProofFile = "prove.json";

// Its place, from `tree` on.
std::string proof_path(const contract::Contract& contract, const std::string& tree);

// Of what a proof is about beside the contract: every source and header of the operator.
std::string sources_digest(const contract::Contract& contract,
                           const std::string& tree,
                           FileSystem& files);

// What a verdict takes of a proof.
struct ProofFile {
  std::vector<Mutant> mutants;
  std::string note;  // why it takes nothing; empty when it took the variants
};

// `text`: of the record. It counts only for the contract and the sources with these digests.
ProofFile read_proof(const std::string& text,
                     const std::string& contract_digest,
                     const std::string& sources);

// Of `mutants` in verdict.json and prove.json. A state that nobody knows is "invalid".
std::vector<Mutant> read_mutants(const Json& object);

}  // namespace shmem_bind::verify
