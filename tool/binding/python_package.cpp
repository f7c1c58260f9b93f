#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/op_compute.h"
#include "tool/binding/snippets.h"
#include "tool/contract/dtype.h"

// python/shmem_custom_ops/<op>.py: the operator for programs in Python, typed.

namespace shmem_bind::binding {
namespace {

using contract::Attribute;
using contract::Contract;
using contract::Tensor;

std::string python_type(const Attribute& attribute) {
  return attribute.type == Attribute::Type::kFloat  ? "float"
         : attribute.type == Attribute::Type::kBool ? "bool"
                                                    : "int";
}

std::string python_literal(const Attribute& attribute) {
  return attribute.default_text == "true"    ? "True"
         : attribute.default_text == "false" ? "False"
                                             : attribute.default_text;
}

// One line for each parameter.
std::string parameters(const Contract& contract, std::string_view indent) {
  std::vector<std::string> lines;
  for (const Tensor& tensor : contract.tensors) {
    lines.push_back(fmt::format(
        "{}{}: torch.Tensor{},", indent, tensor.cpp_name, tensor.optional ? " | None" : ""));
  }
  for (const Attribute& attribute : contract.attributes) {
    const std::string value = python_literal(attribute);
    lines.push_back(fmt::format("{}{}: {}{},",
                                indent,
                                attribute.cpp_name,
                                python_type(attribute),
                                value.empty() ? "" : " = " + value));
  }
  return joined(lines, "\n");
}

std::string arguments(const Contract& contract) {
  std::vector<std::string> names;
  for (const Tensor& tensor : contract.tensors) {
    names.push_back(tensor.cpp_name);
  }
  for (const Attribute& attribute : contract.attributes) {
    names.push_back(attribute.cpp_name);
  }
  return joined(names, ", ");
}

std::string dtype_text(const Contract& contract, const Tensor& tensor) {
  if (!tensor.follows_dispatch) {
    return std::string(contract::row(tensor.dtype).dsl);
  }
  std::vector<std::string> names;
  for (const contract::Dtype dtype : contract.dispatch) {
    names.emplace_back(contract::row(dtype).dsl);
  }
  return joined(names, ", ");
}

// What each tensor is, a line each.
std::string shapes(const Contract& contract) {
  std::vector<std::string> lines;
  for (const Tensor& tensor : contract.tensors) {
    const char* role = tensor.is_input && tensor.is_output ? "read and written"
                       : tensor.is_output                  ? "written"
                                                           : "read";
    lines.push_back(fmt::format("        {}: {}, {}; {}{}",
                                tensor.cpp_name,
                                role,
                                shape_text(tensor),
                                dtype_text(contract, tensor),
                                tensor.optional ? "; None on a PE that has none" : ""));
  }
  return joined(lines, "\n");
}

}  // namespace

std::string emit_python_operator(const Contract& contract) {
  return filled("python_operator.py",
                {{"class", contract.class_name},
                 {"op", contract.op_name},
                 {"parameters", parameters(contract, "        ")},
                 {"function_parameters", parameters(contract, "    ")},
                 {"arguments", arguments(contract)},
                 {"shapes", shapes(contract)}});
}

}  // namespace shmem_bind::binding
