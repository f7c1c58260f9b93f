#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"

// The collectives a golden may name (spec: contract §3), and what they ask of an operator.

namespace shmem_bind::contract {

struct Collective {
  // The output's shape. A gathering one has a part for each PE, stacked along a new first dimension
  // or concatenated along the first one; of a scattering one the input has these parts.
  enum class Shapes { kSame, kGathers, kScatters, kExchanges };
  enum class Reduction { kNone, kSum, kMax, kMin };
  enum class Table { kNone, kSplits, kSources, kPartners };

  std::string_view name;
  Shapes shapes = Shapes::kSame;
  bool replicated = false;  // the output is equal on all PEs
  bool has_root = false;    // an int attribute `root`: the PE that gives or gets all
  Reduction reduction = Reduction::kNone;
  Table table = Table::kNone;
};

std::span<const Collective> collectives();
const Collective* collective_named(std::string_view name);
std::vector<std::string> collective_names();

// An operator's tensors by their part in a collective; null where there is none, or no single one.
// Inputs of another dtype than the output's, such as tables, have no part in it.
struct CollectiveParts {
  const Tensor* output = nullptr;
  const Tensor* input = nullptr;
  // int64 and shared. Splits, which may be absent, [n_pes, n_pes]: rows from PE i to PE j.
  // Sources, [n_pes]: the PE whose input PE i receives. Partners: the same, and the other way
  // round.
  const Tensor* table = nullptr;
};

CollectiveParts parts_in(const Contract& contract, const Collective& collective);

// Whether the golden adds, so that float outputs are compared by tolerance. Of a golden in the
// contract's own code op_kind says whether it does.
bool golden_adds(const Contract& contract);

// What the operator lacks for this golden; empty when it fits.
std::string misfit(const Contract& contract, const Collective& collective);

// The same for the shapes that the operator's tensors have in one case on `pe_count` PEs.
std::string shape_misfit(const Contract& contract,
                         const Collective& collective,
                         const std::map<std::string, std::vector<int64_t>>& shapes,
                         int64_t pe_count);

}  // namespace shmem_bind::contract
