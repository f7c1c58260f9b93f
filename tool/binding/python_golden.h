#pragma once

#include <string>

#include "tool/contract/contract.h"

namespace shmem_bind::binding {

// The right answer of a known collective as Python, for the generated test. The contract's golden
// names one, and it fits the operator: check has seen to it.
struct CollectiveCode {
  std::string golden;      // body of golden(pe, n_pes, inputs, attrs)
  std::string arrange;     // body of arrange(n_pes, inputs, attrs, random); empty: nothing to do
  std::string rotating;    // list of the attributes that go from PE to PE with every call
  std::string replicated;  // whether all PEs have the same answer
};

CollectiveCode collective_code(const contract::Contract& contract);

}  // namespace shmem_bind::binding
