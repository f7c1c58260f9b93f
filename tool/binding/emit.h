#pragma once

#include <string>

#include "tool/binding/file_set.h"
#include "tool/contract/contract.h"

// Contract to files. Pure: the same contract gives the same bytes; invalid contracts cannot reach
// it.

namespace shmem_bind::binding {

// Everything one operator needs in an independent_project tree.
FileSet emit(const contract::Contract& contract);

// The files of our own that join an in_tree_example tree; what changes in the tree's files is
// in_tree.h. A Manager is among them when the tree has none.
FileSet emit_in_tree(const contract::Contract& contract, bool tree_has_manager);

// The header that defines REGISTER_SHMEM_OPS_CLASS for our classes. A SHMEM source tree has a
// torch_register.h of its own, whose macro takes six methods at most.
std::string register_header(contract::BuildMode mode);

// --- one emitter per file ---
std::string emit_operator_class(const contract::Contract& contract);  // src/torch_bind_<op>.cpp
std::vector<std::string> emit_kernel_declaration(
    const contract::Contract& contract);                           // lines for shmem_torch_kernel.h
std::string emit_python_test(const contract::Contract& contract);  // scripts/torch_test_<op>.py
std::string emit_python_operator(const contract::Contract& contract);  // python/<package>/<op>.py
std::string emit_python_package(contract::BuildMode mode);  // python/<package>/__init__.py

}  // namespace shmem_bind::binding
