#include "tool/contract/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shmem_bind::contract {
namespace {

constexpr std::array<Collective, 4> kCollectives = {{
    {"all_gather", false, false},
    {"all_to_all", false, true},
    {"broadcast", true, false},
    {"gather", true, false},
}};

bool is_pe_count(const Dimension& dimension) {
  return dimension.expression != nullptr && dimension.expression->kind == Expression::Kind::kName &&
         dimension.expression->text == "n_pes";
}

bool is_splits_table(const Tensor& tensor) {
  return tensor.is_input && !tensor.is_output && tensor.shared && !tensor.follows_dispatch &&
         tensor.dtype == Dtype::kInt64 && tensor.shape.size() == 2 &&
         is_pe_count(tensor.shape[0]) && is_pe_count(tensor.shape[1]);
}

bool same_dtype(const Tensor& a, const Tensor& b) {
  return a.follows_dispatch == b.follows_dispatch && (a.follows_dispatch || a.dtype == b.dtype);
}

}  // namespace

std::span<const Collective> collectives() {
  return kCollectives;
}

const Collective* collective_named(std::string_view name) {
  const auto* found = std::find_if(kCollectives.begin(),
                                   kCollectives.end(),
                                   [&](const Collective& item) { return item.name == name; });
  return found == kCollectives.end() ? nullptr : found;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const Collective& item : kCollectives) {
    names.emplace_back(item.name);
  }
  return names;
}

CollectiveParts parts_in(const Contract& contract, const Collective& collective) {
  CollectiveParts parts;
  std::vector<const Tensor*> inputs;
  std::vector<const Tensor*> outputs;
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.is_output) {
      outputs.push_back(&tensor);
    }
  }
  parts.output = outputs.size() == 1 ? outputs[0] : nullptr;
  for (const Tensor& tensor : contract.tensors) {
    if (collective.has_splits && parts.splits == nullptr && is_splits_table(tensor)) {
      parts.splits = &tensor;
    } else if (tensor.is_input && parts.output != nullptr && same_dtype(tensor, *parts.output)) {
      inputs.push_back(&tensor);
    }
  }
  parts.input = inputs.size() == 1 ? inputs[0] : nullptr;
  return parts;
}

std::string misfit(const Contract& contract, const Collective& collective) {
  const CollectiveParts parts = parts_in(contract, collective);
  if (parts.output == nullptr || parts.input == nullptr) {
    return fmt::format("{} has one output and one input of its dtype{}",
                       collective.name,
                       collective.has_splits
                           ? ", and may have a table: int64 [n_pes, n_pes], listed in shared"
                           : "");
  }
  const bool has_root = std::any_of(
      contract.attributes.begin(), contract.attributes.end(), [](const Attribute& attribute) {
        return attribute.name == "root" && attribute.type == Attribute::Type::kInt;
      });
  if (collective.has_root && !has_root) {
    return fmt::format("{} has an attribute {{name: root, type: int, default: 0}}",
                       collective.name);
  }
  return "";
}

}  // namespace shmem_bind::contract
