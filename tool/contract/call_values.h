#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tool/contract/contract.h"
#include "tool/contract/expression.h"

// One call of compute(), as far as the contract's expressions can ask about it.

namespace shmem_bind::contract {

struct Call {
  const Case& test;  // sizes and attributes
  Dtype dtype;
  int64_t pes;
  int64_t pe;
};

// The numbers a kernel parameter of this canonical type can hold; nothing: all 64 bits.
struct NumberRange {
  int64_t low;
  int64_t high;
};
std::optional<NumberRange> range_of(const std::string& canonical_type);

// The attributes' values under their names; `own` stands for the defaults.
void add_attributes(const Contract& contract,
                    const std::map<std::string, std::string>& own,
                    Values& values);

// The size that an expression gives a dimension of a tensor; nothing when there is none.
using SizeOf =
    std::function<std::optional<int64_t>(const Tensor&, const Expression&, const Values&)>;

// Names of the call without its tensors.
Values values_of(const Contract& contract, const Call& call);
// Shapes and element sizes of all tensors; false when a dimension has no size.
bool add_tensors(const Contract& contract, const Call& call, const SizeOf& size_of, Values& values);

// Why compute() would refuse the call, or the contract's golden not fit it; empty when neither.
std::string refusal(const Contract& contract, const Call& call);

}  // namespace shmem_bind::contract
