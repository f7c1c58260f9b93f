#pragma once

#include <optional>
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
void read_binding(Reading& reading);  // blocks, state, PE counts, conditions, aliases, shared
void read_proof(Reading& reading);    // golden, cases, gates
using EntryCandidates = std::vector<const Function*>;
// The public spellings (requirements S5), else the only function that can be called from the host.
EntryCandidates usual_entries(const std::string& op, const KernelHeader& header);
// The entry among the header's functions; null and a finding when it is not clear or not usable.
const Function* choose_entry(Reading& reading, const KernelHeader& header);
// What a parameter is by type and place alone: block_dim, stream or ffts.
std::optional<Argument::Role> launch_role(const Function& function, size_t i);
// What each parameter of the entry receives: said in torch_binding.arguments, or unique.
void place_arguments(Reading& reading, const Function& entry);
void read_entry(Reading& reading, const KernelHeader& header);
void check_names(Reading& reading);  // that expressions use what exists
void check_cases(Reading& reading);  // values, over the declared cases

// "[n_pes, rows, cols]" or a list.
std::vector<Dimension> read_shape(const YamlNode& node, Diagnostics& diagnostics);
// The seed's interface.shape: a map from tensor to shape, or "input: [rows]; output: [n_pes,
// rows]".
std::optional<std::vector<Dimension>> shape_in_list(const YamlNode& shapes,
                                                    const std::string& tensor,
                                                    Diagnostics& diagnostics);
std::optional<int64_t> whole_number(std::string_view text);  // decimal, 64 bits, nothing else
std::optional<int64_t> number_of(const YamlNode& node);
bool is_literal_of(Attribute::Type type, const std::string& text);
// A sequence of scalars, or one scalar; reports other forms.
std::vector<std::string> strings_of(const YamlNode& node,
                                    std::string_view what,
                                    Diagnostics& diagnostics);
ExpressionPtr expression_of(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
