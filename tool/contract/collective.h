#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"

// The collectives a golden may name (spec: contract §3), and what they ask of an operator.

namespace shmem_bind::contract {

struct Collective {
  std::string_view name;
  bool has_root = false;    // an int attribute `root`: the PE that gives or gets all
  bool has_splits = false;  // may have a table that says how many rows go from PE to PE
};

std::span<const Collective> collectives();
const Collective* collective_named(std::string_view name);
std::vector<std::string> collective_names();

// An operator's tensors by their part in a collective; null where there is none, or no single one.
// Inputs of another dtype than the output's, such as tables, have no part in it.
struct CollectiveParts {
  const Tensor* output = nullptr;
  const Tensor* input = nullptr;
  const Tensor* splits = nullptr;  // int64 [n_pes, n_pes], shared: rows from PE i to PE j
};

CollectiveParts parts_in(const Contract& contract, const Collective& collective);

// What the operator lacks for this golden; empty when it fits.
std::string misfit(const Contract& contract, const Collective& collective);

}  // namespace shmem_bind::contract
