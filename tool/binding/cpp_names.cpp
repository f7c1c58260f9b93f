#include "tool/binding/cpp_names.h"

#include <fmt/format.h>

namespace shmem_bind::binding {
namespace {

// What snippets/torch_bind_op.cpp and op_compute.cpp call by name.
const std::set<std::string>& own_names() {
  static const std::set<std::string> names = {
      "NULL",          "ShmemOps",     "T",       "assert",    "at",
      "block_dim",     "c10",          "call",    "call_meta", "close",
      "compute",       "dtype",        "epoch",   "epoch_",    "errno",
      "element_bytes", "get_name",     "int16_t", "int32_t",   "int64_t",
      "int8_t",        "is_supported", "kName",   "kOperator", "kSchema",
      "libraries",     "n_pes",        "op",      "pe",        "run",
      "shmem_ops",     "size_t",       "state",   "state_",    "state_bytes",
      "std",           "stream",       "torch",   "uint16_t",  "uint32_t",
      "uint64_t",      "uint8_t"};
  return names;
}

// Names of the expression language: nothing of the user's replaces them.
bool is_built_in(const std::string& name) {
  return name == "n_pes" || name == "pe" || name == "block_dim" || name == "epoch";
}

const std::string& found_or(const std::map<std::string, std::string>& names,
                            const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

}  // namespace

CppNames::CppNames(const contract::Contract& contract) : taken_(own_names()) {
  taken_.insert(contract.entry.name);
  taken_.insert(contract.entry.namespaces.begin(), contract.entry.namespaces.end());
  for (const contract::Tensor& tensor : contract.tensors) {
    tensors_[tensor.name] = unique(tensor.cpp_name);
  }
  for (const contract::Attribute& attribute : contract.attributes) {
    values_[attribute.name] = unique(attribute.cpp_name);
  }
  for (const contract::Tensor& tensor : contract.tensors) {
    for (const contract::Dimension& dimension : tensor.shape) {
      if (dimension.kind == contract::Dimension::Kind::kSymbol &&
          !values_.contains(dimension.symbol)) {
        values_[dimension.symbol] = unique(dimension.symbol);
      }
    }
  }
  for (const contract::Tensor& tensor : contract.tensors) {
    if (tensor.optional) {
      given_[tensor.name] = unique(tensors_[tensor.name] + "_given");
    }
    dense_[tensor.name] = unique(tensors_[tensor.name] + "_dense");
    memory_[tensor.name] = unique(tensors_[tensor.name] + "_memory");
  }
  for (size_t i = 0; i < contract.entry.arguments.size(); ++i) {
    const std::string& parameter = contract.entry.arguments[i].parameter;
    arguments_.push_back(
        unique(parameter.empty() ? fmt::format("argument{}", i) : parameter + "_value"));
  }
}

const std::string& CppNames::tensor(const std::string& name) const {
  return found_or(tensors_, name);
}

const std::string& CppNames::parameter(const std::string& tensor) const {
  const auto found = given_.find(tensor);
  return found == given_.end() ? this->tensor(tensor) : found->second;
}

const std::string& CppNames::value(const std::string& name) const {
  return is_built_in(name) ? name : found_or(values_, name);
}

std::string CppNames::unique(std::string name) {
  while (!taken_.insert(name).second) {
    name += '_';
  }
  return name;
}

}  // namespace shmem_bind::binding
