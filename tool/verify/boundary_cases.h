#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/contract/contract.h"

// Cases beside the contract's own: sizes at which copies, tails and buffers end, made of the
// contract's symbols. Only what compute() accepts. Pure.

namespace shmem_bind::verify {

struct BoundaryCase {
  contract::Case test;
  std::vector<std::string> dtypes;  // it is for, in the contract's order
};

// Names of the dtypes that the contract dispatches over; "fixed" when it does not.
std::vector<std::string> dtype_names(const contract::Contract& contract);

// The tail of a chunk, one row more or less than PEs share, no power of two, one row, and around
// the size of a core's buffer. None that the contract declares itself.
std::vector<BoundaryCase> boundary_cases(const contract::Contract& contract, int64_t pes);

// No elements; nothing when the contract does not allow that.
std::optional<BoundaryCase> zero_case(const contract::Contract& contract, int64_t pes);

}  // namespace shmem_bind::verify
