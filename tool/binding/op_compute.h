#pragma once

#include <string>

#include "tool/binding/cpp_names.h"
#include "tool/contract/contract.h"

namespace shmem_bind::binding {

// The parts of compute(), in its order; each is whole lines.
struct ComputeParts {
  std::string checks;     // dtypes, shapes, overlap, the contract's requirements
  std::string values;     // block_dim and the kernel's number parameters, narrowed
  std::string copies;     // contiguous forms
  std::string kernel;     // inside the launch: dtype to instance
  std::string copy_back;  // to outputs that were not contiguous
};

ComputeParts emit_compute(const contract::Contract& contract, const CppNames& names);

// `case at::kInt:` lines of the declared dtypes, for is_supported(); empty without dispatch.
std::string dtype_cases(const contract::Contract& contract);

// The shape as the contract spells it: "[n_pes, rows, cols]".
std::string shape_text(const contract::Tensor& tensor);

// The expression as C++ over the locals of compute().
std::string cpp_text(const contract::ExpressionPtr& expression, const CppNames& names);

}  // namespace shmem_bind::binding
