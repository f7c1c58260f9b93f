#pragma once

#include <string>

#include "tool/binding/cpp_names.h"
#include "tool/contract/contract.h"

namespace shmem_bind::binding {

// What compute() looks at before it does anything: dtypes, shapes, overlap, the requirements that
// do not speak of block_dim; and the locals that expressions use. Whole lines.
std::string emit_checks(const contract::Contract& contract, const CppNames& names);

// Requirements that speak of block_dim follow its computation.
std::string emit_requirements(const contract::Contract& contract,
                              const CppNames& names,
                              bool of_block_dim);

}  // namespace shmem_bind::binding
