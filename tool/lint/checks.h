#pragma once

#include "tool/base/diagnostic.h"
#include "tool/lint/tree.h"

// One function for each rule; rules.cpp says which is whose. They look at facts only.

namespace shmem_bind::lint {

void check_syntax(const Tree& tree, Diagnostics& diagnostics);

void check_class(const Tree& tree, Diagnostics& diagnostics);
void check_manager(const Tree& tree, Diagnostics& diagnostics);
void check_tensor_checks(const Tree& tree, Diagnostics& diagnostics);
void check_dispatch(const Tree& tree, Diagnostics& diagnostics);
void check_count(const Tree& tree, Diagnostics& diagnostics);

void check_storage_base(const Tree& tree, Diagnostics& diagnostics);
void check_contiguous(const Tree& tree, Diagnostics& diagnostics);
void check_unused_copy(const Tree& tree, Diagnostics& diagnostics);
void check_allocation(const Tree& tree, Diagnostics& diagnostics);
void check_late_zero(const Tree& tree, Diagnostics& diagnostics);
void check_stream(const Tree& tree, Diagnostics& diagnostics);
void check_destructor(const Tree& tree, Diagnostics& diagnostics);
void check_status(const Tree& tree, Diagnostics& diagnostics);

void check_links(const Tree& tree, Diagnostics& diagnostics);
void check_product(const Tree& tree, Diagnostics& diagnostics);
void check_own_project(const Tree& tree, Diagnostics& diagnostics);

void check_test_exists(const Tree& tree, Diagnostics& diagnostics);
void check_test_compares(const Tree& tree, Diagnostics& diagnostics);
void check_seed(const Tree& tree, Diagnostics& diagnostics);
void check_pes(const Tree& tree, Diagnostics& diagnostics);
void check_load(const Tree& tree, Diagnostics& diagnostics);
void check_global(const Tree& tree, Diagnostics& diagnostics);
void check_exit_codes(const Tree& tree, Diagnostics& diagnostics);
void check_port(const Tree& tree, Diagnostics& diagnostics);
void check_python_calls(const Tree& tree, Diagnostics& diagnostics);

void check_documents(const Tree& tree, Diagnostics& diagnostics);

void check_allowances(const Tree& tree, Diagnostics& diagnostics);

}  // namespace shmem_bind::lint
