#include "tool/binding/op_compute.h"

#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/layout.h"
#include "tool/binding/literal.h"
#include "tool/binding/op_checks.h"
#include "tool/contract/dtype.h"
#include "tool/contract/expression.h"

namespace shmem_bind::binding {
namespace {

using contract::Argument;
using contract::Attribute;
using contract::Contract;
using contract::Dimension;
using contract::Dtype;
using contract::Expression;
using contract::ExpressionPtr;
using contract::Tensor;

constexpr size_t kBody = 4;    // inside a method
constexpr size_t kLambda = 6;  // inside the launch

// As the contract spells it.
std::string contract_text(const Expression& expression) {
  const contract::Naming same = [](const std::string& name) { return name; };
  return to_python(expression, same, same);
}

std::string dimension_text(const Dimension& dimension) {
  switch (dimension.kind) {
    case Dimension::Kind::kSymbol:
      return dimension.symbol;
    case Dimension::Kind::kExpression:
      return contract_text(*dimension.expression);
    default:
      return "?";
  }
}

class ComputeWriter {
 public:
  ComputeWriter(const Contract& contract, const CppNames& names)
      : contract_(contract), names_(names) {}

  ComputeParts parts() {
    ComputeParts parts;
    parts.checks = emit_checks(contract_, names_);
    parts.values = block_dim() + values();
    parts.copies = copies();
    parts.kernel = kernel();
    parts.copy_back = copy_back();
    return parts;
  }

 private:
  static std::string line(size_t indent, const std::string& text) {
    return std::string(indent, ' ') + text + "\n";
  }
  std::string cpp(const ExpressionPtr& expression) const { return cpp_text(expression, names_); }
  const std::string& name_of(const Tensor& tensor) const { return names_.tensor(tensor.name); }

  // A chain of conditions reads as one.
  std::string block_dim() const {
    const Expression* rest = contract_.block_dim.get();
    if (rest->kind != Expression::Kind::kConditional) {
      return assignment(kBody, "const int64_t block_dim", cpp(contract_.block_dim)) +
             after_block_dim();
    }
    std::string out = line(kBody, "int64_t block_dim = 0;");
    std::string word = "if";
    const ExpressionPtr* last = &contract_.block_dim;
    while ((*last)->kind == Expression::Kind::kConditional) {
      const auto& operands = (*last)->operands;
      out += line(kBody, fmt::format("{} ({}) {{", word, cpp(operands[0])));
      out += line(kBody + 2, fmt::format("block_dim = {};", cpp(operands[1])));
      word = "} else if";
      last = &operands[2];
    }
    out += line(kBody, "} else {");
    out += line(kBody + 2, fmt::format("block_dim = {};", cpp(*last)));
    out += line(kBody, "}");
    return guarded(kBody, out) + after_block_dim();
  }

  std::string after_block_dim() const {
    return call(kBody,
                "TORCH_CHECK",
                {"block_dim >= 1", "kName", "\": block_dim is \"", "block_dim"}) +
           emit_requirements(contract_, names_, true);
  }

  const Attribute* float_attribute(const ExpressionPtr& expression) const {
    for (const Attribute& attribute : contract_.attributes) {
      if (expression->kind == Expression::Kind::kName && expression->text == attribute.name &&
          attribute.type == Attribute::Type::kFloat) {
        return &attribute;
      }
    }
    return nullptr;
  }

  std::string values() const {
    std::string out;
    for (size_t i = 0; i < contract_.entry.arguments.size(); ++i) {
      const Argument& argument = contract_.entry.arguments[i];
      const bool is_block_dim = argument.role == Argument::Role::kBlockDim;
      if (!is_block_dim && argument.role != Argument::Role::kExpression) {
        continue;
      }
      const std::string target = "const auto " + names_.argument(i);
      if (!is_block_dim && float_attribute(argument.expression) != nullptr) {
        out += assignment(
            kBody,
            target,
            fmt::format("static_cast<{}>({})", argument.cpp_type, cpp(argument.expression)));
        continue;
      }
      out += assignment(kBody,
                        target,
                        fmt::format("shmem_ops::narrow<{}>({}, kName, {})",
                                    argument.cpp_type,
                                    is_block_dim ? "block_dim" : cpp(argument.expression),
                                    string_literal(argument.parameter)));
    }
    return out;
  }

  std::string copies() const {
    std::string out;
    for (const Tensor& tensor : contract_.tensors) {
      const std::string& name = name_of(tensor);
      const std::string dense = name + ".contiguous()";
      out += assignment(
          kBody,
          "const at::Tensor " + names_.dense(tensor.name),
          tensor.optional ? fmt::format("{}.defined() ? {} : {}", name, dense, name) : dense);
    }
    for (const Tensor& tensor : contract_.tensors) {
      out += line(kBody,
                  fmt::format("const shmem_ops::Memory {}({});",
                              names_.memory(tensor.name),
                              names_.dense(tensor.name)));
    }
    return out;
  }

  std::string copy_back() const {
    std::string out;
    for (const Tensor& tensor : contract_.tensors) {
      if (tensor.is_output) {
        const std::string& dense = names_.dense(tensor.name);
        out += line(kBody, fmt::format("if (!{}.is_same({})) {{", dense, name_of(tensor)));
        out += line(kBody + 2, fmt::format("{}.copy_({});", name_of(tensor), dense));
        out += line(kBody, "}");
      }
    }
    return out;
  }

  // What the kernel's parameter `i` receives.
  std::string argument_text(size_t i) const {
    const Argument& argument = contract_.entry.arguments[i];
    const bool is_void = argument.cpp_type == "void*";
    switch (argument.role) {
      case Argument::Role::kStream:
        return "stream";
      case Argument::Role::kFfts:
        return "util_get_ffts_config()";
      case Argument::Role::kState:
        return is_void || argument.cpp_type == "uint8_t*"
                   ? "state"
                   : fmt::format("reinterpret_cast<{}>(state)", argument.cpp_type);
      case Argument::Role::kTensor: {
        const Tensor& tensor = contract_.tensors[static_cast<size_t>(argument.tensor)];
        const std::string data = names_.memory(tensor.name) + ".data()";
        return is_void ? data : fmt::format("static_cast<{}>({})", argument.cpp_type, data);
      }
      default:
        return names_.argument(i);
    }
  }

  std::string kernel_call(size_t indent) const {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < contract_.entry.arguments.size(); ++i) {
      arguments.push_back(argument_text(i));
    }
    return call(indent,
                contract_.entry.qualified_name + (contract_.entry.is_template ? "<T>" : ""),
                arguments);
  }

  std::string kernel() const {
    if (!contract_.entry.is_template) {
      return kernel_call(kLambda) + line(kLambda, "return 0;");
    }
    std::string out = line(kLambda, "const auto run = [&]<class T>(std::type_identity<T>) {");
    out += kernel_call(kLambda + 2);
    out += line(kLambda + 2, "return 0;");
    out += line(kLambda, "};");
    out += line(kLambda, "switch (dtype) {");
    for (const Dtype dtype : contract_.dispatch) {
      out += line(kLambda + 2, fmt::format("case {}:", contract::row(dtype).scalar_type));
      out += line(
          kLambda + 4,
          fmt::format("return run(std::type_identity<{}>{{}});", contract::row(dtype).host_type));
    }
    out += line(kLambda + 2, "default:");
    out += line(kLambda + 4, "return 1;  // checked above");
    return out + line(kLambda, "}");
  }

  const Contract& contract_;
  const CppNames& names_;
};

}  // namespace

std::string shape_text(const Tensor& tensor) {
  std::vector<std::string> words;
  for (const Dimension& dimension : tensor.shape) {
    words.push_back(dimension_text(dimension));
  }
  return "[" + joined(words, ", ") + "]";
}

ComputeParts emit_compute(const Contract& contract, const CppNames& names) {
  return ComputeWriter(contract, names).parts();
}

std::string dtype_cases(const Contract& contract) {
  std::string out;
  for (const Dtype dtype : contract.dispatch) {
    out += fmt::format("      case {}:\n", contract::row(dtype).scalar_type);
  }
  return out;
}

std::string cpp_text(const ExpressionPtr& expression, const CppNames& names) {
  const contract::Naming value = [&names](const std::string& name) {
    return name == "sizeof(dtype)" ? std::string("element_bytes") : names.value(name);
  };
  const contract::Naming tensor = [&names](const std::string& name) { return names.tensor(name); };
  return to_cpp(*expression, value, tensor);
}

}  // namespace shmem_bind::binding
