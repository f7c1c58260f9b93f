#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/cpp_names.h"
#include "tool/binding/emit.h"
#include "tool/binding/layout.h"
#include "tool/binding/literal.h"
#include "tool/binding/op_compute.h"
#include "tool/binding/snippets.h"
#include "tool/contract/dtype.h"
#include "tool/contract/expression.h"

// src/torch_bind_<op>.cpp: the class and the functional operator.

namespace shmem_bind::binding {
namespace {

using contract::Argument;
using contract::Attribute;
using contract::Contract;
using contract::Tensor;

std::string_view cpp_type(const Attribute& attribute) {
  return attribute.type == Attribute::Type::kFloat  ? "double"
         : attribute.type == Attribute::Type::kBool ? "bool"
                                                    : "int64_t";
}

std::string_view schema_type(const Attribute& attribute) {
  return attribute.type == Attribute::Type::kFloat  ? "float"
         : attribute.type == Attribute::Type::kBool ? "bool"
                                                    : "int";
}

// Names of all tensors and attributes, in the order of compute().
std::vector<std::string> argument_names(const Contract& contract, const CppNames& names) {
  std::vector<std::string> list;
  for (const Tensor& tensor : contract.tensors) {
    list.push_back(names.tensor(tensor.name));
  }
  for (const Attribute& attribute : contract.attributes) {
    list.push_back(names.value(attribute.name));
  }
  return list;
}

// Those that every PE passes: what PEs are compared by.
std::vector<std::string> tensors_of_all(const Contract& contract, const CppNames& names) {
  std::vector<std::string> list;
  for (const Tensor& tensor : contract.tensors) {
    if (!tensor.optional) {
      list.push_back(names.tensor(tensor.name));
    }
  }
  return list;
}

constexpr const char* kOptional = "const std::optional<at::Tensor>&";

std::vector<std::string> method_parameters(const Contract& contract, const CppNames& names) {
  std::vector<std::string> list;
  for (const Tensor& tensor : contract.tensors) {
    list.push_back(fmt::format(
        "{} {}", tensor.optional ? kOptional : "const at::Tensor&", names.parameter(tensor.name)));
  }
  for (const Attribute& attribute : contract.attributes) {
    list.push_back(fmt::format("{} {}", cpp_type(attribute), names.value(attribute.name)));
  }
  return list;
}

// Of the functional form; `named`: with parameter names. torch takes mutated tensors by value.
std::vector<std::string> operator_parameters(const Contract& contract,
                                             const CppNames& names,
                                             bool named) {
  const auto with = [named](std::string_view type, const std::string& name) {
    return std::string(type) + (named ? " " + name : "");
  };
  std::vector<std::string> list = {
      with(fmt::format("const c10::intrusive_ptr<ShmemOps::{}>&", contract.class_name), "op")};
  for (const Tensor& tensor : contract.tensors) {
    list.push_back(with(tensor.optional    ? kOptional
                        : tensor.is_output ? "at::Tensor"
                                           : "const at::Tensor&",
                        names.tensor(tensor.name)));
  }
  for (const Attribute& attribute : contract.attributes) {
    list.push_back(with(cpp_type(attribute), names.value(attribute.name)));
  }
  return list;
}

// The operator's schema, a literal for each argument: `op(Cls op, Tensor(a!) output) -> ()`.
std::string schema(const Contract& contract) {
  std::vector<std::string> pieces = {fmt::format(
      "{}(__torch__.torch.classes.ShmemOps.{} op", contract.op_name, contract.class_name)};
  char mark = 'a';
  for (const Tensor& tensor : contract.tensors) {
    pieces.push_back(fmt::format("Tensor{}{} {}",
                                 tensor.is_output ? fmt::format("({}!)", mark++) : "",
                                 tensor.optional ? "?" : "",
                                 tensor.name));
  }
  for (const Attribute& attribute : contract.attributes) {
    pieces.push_back(fmt::format(
        "{} {}{}",
        schema_type(attribute),
        attribute.name,
        attribute.default_text.empty() ? "" : "=" + python_literal(attribute.default_text)));
  }
  std::string out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    out += fmt::format(
        "    {}{}\n", string_literal(pieces[i] + (last ? ") -> ()" : ", ")), last ? ";" : "");
  }
  return guarded(0, out);
}

std::string registration(const Contract& contract) {
  std::vector<std::string> names = {"compute"};
  for (const Tensor& tensor : contract.tensors) {
    names.push_back(string_literal(tensor.name));
  }
  for (const Attribute& attribute : contract.attributes) {
    names.push_back(attribute.default_text.empty() ? string_literal(attribute.name)
                                                   : fmt::format("torch::arg({}) = {}{{{}}}",
                                                                 string_literal(attribute.name),
                                                                 cpp_type(attribute),
                                                                 attribute.default_text));
  }
  return call_of_lists(
      "REGISTER_SHMEM_OPS_CLASS",
      {contract.class_name, "(" + joined(names, ", ") + ")", "(close)", "(get_name)"});
}

std::string pe_condition(const contract::PeCounts& counts) {
  if (!counts.list.empty()) {
    std::vector<std::string> allowed;
    for (const int64_t count : counts.list) {
      allowed.push_back(fmt::format("n_pes == {}", count));
    }
    return joined(allowed, " || ");
  }
  return fmt::format(
      "n_pes >= {} && n_pes <= {}{}",
      counts.min,
      counts.max,
      counts.multiple_of > 1 ? fmt::format(" && n_pes % {} == 0", counts.multiple_of) : "");
}

// `state`, evaluated at construction: attributes have their defaults, symbols their bounds,
// sizeof(dtype) is the largest (spec: contract §4).
std::string state_bytes(const Contract& contract) {
  if (contract.state_bytes == nullptr) {
    return "0";
  }
  const contract::Naming value = [&contract](const std::string& name) -> std::string {
    if (name == "sizeof(dtype)") {
      int64_t largest = 1;
      for (const contract::Dtype dtype : contract.dispatch) {
        largest = std::max(largest, contract::row(dtype).bytes);
      }
      return fmt::format("int64_t{{{}}}", largest);
    }
    if (const auto bound = contract.maxima.find(name); bound != contract.maxima.end()) {
      return fmt::format("int64_t{{{}}}", bound->second);
    }
    for (const Attribute& attribute : contract.attributes) {
      if (attribute.name == name) {
        return fmt::format("{}{{{}}}", cpp_type(attribute), attribute.default_text);
      }
    }
    return name;
  };
  return to_cpp(*contract.state_bytes, value, [](const std::string& tensor) { return tensor; });
}

std::string state_function(const Contract& contract) {
  std::string out = call(4,
                         "TORCH_CHECK",
                         {pe_condition(contract.pe_counts),
                          "kName",
                          "\": \"",
                          "n_pes",
                          string_literal(" PEs; it works with " + contract.pe_counts.text())});
  return out + guarded(4, fmt::format("    return {};\n", state_bytes(contract)));
}

std::string device_checks(const Contract& contract, const CppNames& names) {
  std::string out;
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.optional) {
      continue;  // checked with the rest of what may be absent
    }
    out += call(4,
                "shmem_ops::check_device",
                {names.tensor(tensor.name), "kName", string_literal(tensor.name)});
  }
  return out;
}

// A tensor that may be absent becomes one that may be undefined.
std::string take_optional(const Contract& contract, const CppNames& names) {
  std::string out;
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.optional) {
      out += assignment(4,
                        "const at::Tensor " + names.tensor(tensor.name),
                        names.parameter(tensor.name) + ".value_or(at::Tensor())");
    }
  }
  return out;
}

std::string take_state(const Contract& contract) {
  const bool used = std::any_of(contract.entry.arguments.begin(),
                                contract.entry.arguments.end(),
                                [](const Argument& a) { return a.role == Argument::Role::kState; });
  return used ? "    uint8_t* const state = state_.data();\n" : "    state_.require_open();\n";
}

// Not shmem_torch_kernel.h: it changes with every operator that joins the tree.
std::string includes(const Contract& contract) {
  std::set<std::string> headers = {"npu_launch.h", "shmem.h", register_header(contract.build_mode)};
  if (contract.seed_includes) {
    headers.emplace("shmem_torch_kernel.h");
  }
  for (const contract::DtypeRow& row : contract::dtype_table()) {
    const bool dispatched =
        std::find(contract.dispatch.begin(), contract.dispatch.end(), row.dtype) !=
        contract.dispatch.end();
    const bool named = contract.entry.declaration.find(row.host_type) != std::string::npos;
    if (!row.header.empty() && (dispatched || named)) {
      headers.emplace(row.header);
    }
  }
  const std::vector<std::string> sorted(headers.begin(), headers.end());
  return "#include \"" + joined(sorted, "\"\n#include \"") + "\"";
}

// The Manager of a SHMEM source tree does not know our objects.
std::string close_comment(contract::BuildMode mode) {
  return mode == contract::BuildMode::kInTreeExample
             ? "  // Collective, idempotent, in front of Manager.finalize(); the destructor must "
               "not "
               "wait for other\n  // PEs."
             : "  // Collective, idempotent. Without it Manager.finalize() closes the object; the "
               "destructor must\n  // not wait for other PEs.";
}

// Torch's headers: those that are needed, or the seed document's list, which costs three times the
// compile time.
std::string torch_includes(const Contract& contract) {
  if (contract.seed_includes) {
    return "#include <torch/custom_class.h>\n#include <torch/extension.h>\n#include "
           "<torch/torch.h>\n"
           "#include <torch_npu/csrc/core/npu/NPUStream.h>\n";
  }
  return "#include <ATen/core/Tensor.h>\n#include <torch/custom_class.h>\n#include "
         "<torch/library.h>\n";
}

std::string is_supported(const Contract& contract) {
  const std::string cases = dtype_cases(contract);
  return cases.empty() ? "" : filled("op_is_supported.txt", {{"cases", cases}});
}

}  // namespace

std::string emit_operator_class(const Contract& contract) {
  const CppNames names(contract);
  const ComputeParts parts = emit_compute(contract, names);
  const std::string& path = contract.entry.header_path;
  return filled(
      "torch_bind_op.cpp",
      {{"class", contract.class_name},
       {"op", contract.op_name},
       {"header", path.substr(path.rfind('/') + 1)},
       {"torch_includes", torch_includes(contract)},
       {"includes", includes(contract)},
       {"entry", joined(emit_kernel_declaration(contract), "\n")},
       {"compute", declaration(2, "void compute", method_parameters(contract, names), ") {")},
       {"state", take_state(contract) + take_optional(contract, names)},
       {"same_call",
        call(4,
             "shmem_ops::check_same_call",
             {"kName", "epoch", "{" + joined(tensors_of_all(contract, names), ", ") + "}"})},
       {"device_checks", device_checks(contract, names)},
       {"checks", parts.checks},
       {"values", parts.values},
       {"copies", parts.copies},
       {"kernel", parts.kernel},
       {"copy_back", parts.copy_back},
       {"close", close_comment(contract.build_mode)},
       {"is_supported", is_supported(contract)},
       {"state_bytes", state_function(contract)},
       {"registration", registration(contract)},
       {"schema", schema(contract)},
       {"operator", declaration(0, "void call", operator_parameters(contract, names, true), ") {")},
       {"forward", call(2, "op->compute", argument_names(contract, names))},
       {"meta",
        declaration(0, "void call_meta", operator_parameters(contract, names, false), ") {}")}});
}

}  // namespace shmem_bind::binding
