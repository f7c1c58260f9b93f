#pragma once

#include <string>
#include <vector>

#include "tool/verify/json_fields.h"
#include "tool/verify/mutant.h"

namespace shmem_bind::verify {

// Name of the record that shmem-bind prove leaves beside verdict.json.
inline constexpr const char* kProofFile = "prove.json";

// What a verdict takes of a proof.
struct ProofFile {
  std::vector<Mutant> mutants;
  std::string note;  // why it takes nothing; empty when it took the variants
};

// `text`: of the record. It counts only for the contract and the kernel library with these digests.
ProofFile read_proof(const std::string& text,
                     const std::string& contract_digest,
                     const std::string& kernel_digest);

// Of `mutants` in verdict.json and prove.json. A state that nobody knows is "invalid".
std::vector<Mutant> read_mutants(const Json& object);

}  // namespace shmem_bind::verify
