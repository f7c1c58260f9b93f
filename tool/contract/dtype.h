#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/contract/contract.h"

namespace shmem_bind::contract {

// One row of THE dtype table. Tolerances: the public precision standard; 0 means bit by bit.
struct DtypeRow {
  Dtype dtype;
  std::string_view dsl;          // canonical spelling
  std::string_view aliases;      // other accepted spellings, separated by blanks
  std::string_view scalar_type;  // at::ScalarType
  std::string_view python;       // torch.<name>
  std::string_view host_type;    // the kernel library's template argument
  std::string_view header;       // that declares host_type, empty when none is needed
  int64_t bytes;
};

std::span<const DtypeRow> dtype_table();
const DtypeRow& row(Dtype dtype);
std::vector<std::string> dtype_names();  // canonical spellings, for suggestions
// Any accepted spelling, in any case and with or without "torch.".
std::optional<Dtype> dtype_named(std::string_view spelling);

}  // namespace shmem_bind::contract
