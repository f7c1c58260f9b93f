#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"

namespace shmem_bind::contract {

// How far a computed value may be from the right one, as exponents of 2: 8 stands for 2^-8. Of the
// public precision standard for float arithmetic; 0 means bit by bit.
struct Tolerance {
  int few = 0;   // |a - g| / max(|g|, 1), when it took fewer than 2048 additions
  int many = 0;  // when it took more
  int bias = 0;  // |mean(a - g)| / max|g|
};

// One row of THE dtype table.
struct DtypeRow {
  Dtype dtype;
  std::string_view dsl;          // canonical spelling
  std::string_view aliases;      // other accepted spellings, separated by blanks
  std::string_view scalar_type;  // at::ScalarType
  std::string_view python;       // torch.<name>
  std::string_view host_type;    // the kernel library's template argument
  std::string_view header;       // that declares host_type, empty when none is needed
  int64_t bytes;
  Tolerance tolerance = {};
  bool has_arithmetic = true;  // else kernels move it as bytes
};

std::span<const DtypeRow> dtype_table();
const DtypeRow& row(Dtype dtype);
std::vector<std::string> dtype_names();  // canonical spellings, for suggestions
// Any accepted spelling, in any case and with or without "torch.".
std::optional<Dtype> dtype_named(std::string_view spelling);

}  // namespace shmem_bind::contract
