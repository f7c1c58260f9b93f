#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"
#include "tool/contract/contract.h"
#include "tool/contract/document.h"
#include "tool/contract/kernel_header.h"

// The parts of `check`, in the order they run. Each fills its fields of the contract and reports
// what it finds.

namespace shmem_bind::contract {

struct Reading {
  const Document& document;
  const YamlNode& root;
  Contract& contract;
  Diagnostics& diagnostics;

  const YamlNode& binding() const { return root["torch_binding"]; }
  // Where to point when a key is missing: the section, or the block.
  Span place_of(std::string_view section) const;
};

void read_meta(Reading& reading);
void read_tensors(Reading& reading);  // inputs, outputs, attributes, dtypes, shapes
void read_binding(
    Reading& reading);  // block_dim, n_pes, state, require, aliases, shared, golden, gates
void read_entry(Reading& reading, const std::vector<Function>& functions);
void check_names(Reading& reading);    // that expressions use what exists
void check_numbers(Reading& reading);  // narrowing, over the declared cases

// A sequence of scalars, or one scalar; reports other forms.
std::vector<std::string> strings_of(const YamlNode& node,
                                    std::string_view what,
                                    Diagnostics& diagnostics);
ExpressionPtr expression_of(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
