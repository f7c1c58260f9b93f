#pragma once

#include <string>
#include <vector>

#include "tool/verify/json_fields.h"
#include "tool/verify/mutant.h"

namespace shmem_bind::verify {

inline constexpr int64_t kProofSchema = 1;  // docs/verdict.md, the record of prove

// What a verdict takes of a proof.
struct ProofFile {
  std::vector<Mutant> mutants;
  std::string note;  // what a reader of the verdict has to know of the record
};

// `text`: of prove.json. It counts for the contract and the sources with these digests, and for
// this version of the tool.
ProofFile read_proof(const std::string& text,
                     const std::string& contract_digest,
                     const std::string& sources);

// Of `mutants` in verdict.json and prove.json. A state that nobody knows is "invalid".
std::vector<Mutant> read_mutants(const Json& object);

}  // namespace shmem_bind::verify
