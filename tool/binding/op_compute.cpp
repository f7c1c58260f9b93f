#include "tool/binding/op_compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/layout.h"
#include "tool/binding/literal.h"
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

// Names and tensors that some expression of the contract, state_bytes aside, uses.
struct Used {
  std::set<std::string> names;
  std::set<std::string> tensors;

  void add(const ExpressionPtr& expression) {
    if (expression != nullptr) {
      names.merge(names_in(*expression));
      tensors.merge(tensors_in(*expression));
    }
  }
};

Used used_by(const Contract& contract) {
  Used used;
  used.add(contract.block_dim);
  for (const Argument& argument : contract.entry.arguments) {
    used.add(argument.expression);
  }
  for (const contract::Requirement& requirement : contract.requirements) {
    used.add(requirement.condition);
  }
  for (const Tensor& tensor : contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      used.add(dimension.expression);
    }
  }
  return used;
}

class ComputeWriter {
 public:
  ComputeWriter(const Contract& contract, const CppNames& names)
      : contract_(contract), names_(names), used_(used_by(contract)) {}

  ComputeParts parts() {
    ComputeParts parts;
    parts.checks = dtype_checks() + places() + binding_checks() + shape_checks() +
                   optional_checks() + overlap_checks() + requirement_checks();
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

  // The tensor whose dtype chooses the instance.
  const Tensor* leader() const {
    for (const bool input : {true, false}) {
      for (const Tensor& tensor : contract_.tensors) {
        if (tensor.follows_dispatch && !tensor.optional && tensor.is_input == input) {
          return &tensor;
        }
      }
    }
    return nullptr;
  }

  std::string check_dtype(const Tensor& tensor, std::string_view expected, size_t indent) const {
    return call(indent,
                "shmem_ops::check_dtype",
                {name_of(tensor), "kName", quoted(tensor.name), std::string(expected)});
  }

  std::string dtype_checks() const {
    std::string out;
    const Tensor* first = leader();
    if (first != nullptr) {
      std::vector<std::string> supported;
      for (const Dtype dtype : contract_.dispatch) {
        supported.emplace_back(contract::row(dtype).dsl);
      }
      out += line(kBody,
                  fmt::format("const at::ScalarType dtype = {}.scalar_type();", name_of(*first)));
      out += call(kBody,
                  "TORCH_CHECK",
                  {"is_supported(dtype)",
                   "kName",
                   quoted(fmt::format(": {} has dtype ", first->name)),
                   "dtype",
                   quoted("; supported: " + joined(supported, ", "))});
    }
    for (const Tensor& tensor : contract_.tensors) {
      if (&tensor != first && !tensor.optional) {
        out += check_dtype(tensor, expected_dtype(tensor), kBody);
      }
    }
    return out;
  }

  static std::string_view expected_dtype(const Tensor& tensor) {
    return tensor.follows_dispatch ? "dtype" : contract::row(tensor.dtype).scalar_type;
  }

  // Locals that expressions use.
  std::string places() const {
    std::string out;
    if (used_.names.contains("n_pes")) {
      out += line(kBody, "const int64_t n_pes = aclshmem_n_pes();");
    }
    if (used_.names.contains("pe")) {
      out += line(kBody, "const int64_t pe = aclshmem_my_pe();");
    }
    if (used_.tensors.contains("dtype") && leader() != nullptr) {
      out += assignment(kBody,
                        "const int64_t element_bytes",
                        fmt::format("static_cast<int64_t>({}.element_size())", name_of(*leader())));
    }
    return out;
  }

  bool is_bound_by(const std::string& symbol, const Tensor& tensor, size_t index) const {
    for (const Tensor& other : contract_.tensors) {
      for (size_t i = 0; other.binds() && i < other.shape.size(); ++i) {
        if (other.shape[i].kind == Dimension::Kind::kSymbol && other.shape[i].symbol == symbol) {
          return &other == &tensor && i == index;
        }
      }
    }
    return false;
  }

  bool is_used(const std::string& symbol) const {
    size_t places = 0;
    for (const Tensor& tensor : contract_.tensors) {
      places += static_cast<size_t>(
          std::count_if(tensor.shape.begin(), tensor.shape.end(), [&](const Dimension& d) {
            return d.kind == Dimension::Kind::kSymbol && d.symbol == symbol;
          }));
    }
    return places > 1 || used_.names.contains(symbol);
  }

  // Every input has its number of dimensions; symbols get their values.
  std::string binding_checks() const {
    std::string out;
    for (const Tensor& tensor : contract_.tensors) {
      if (!tensor.binds()) {
        continue;
      }
      const std::string& name = name_of(tensor);
      out += call(kBody,
                  "TORCH_CHECK",
                  {fmt::format("{}.dim() == {}", name, tensor.shape.size()),
                   "kName",
                   quoted(fmt::format(": {} must be {}, got ", tensor.name, shape_text(tensor))),
                   name + ".sizes()"});
      for (size_t i = 0; i < tensor.shape.size(); ++i) {
        const std::string& symbol = tensor.shape[i].symbol;
        if (tensor.shape[i].kind == Dimension::Kind::kSymbol && is_bound_by(symbol, tensor, i) &&
            is_used(symbol)) {
          out += line(
              kBody, fmt::format("const int64_t {} = {}.size({});", names_.value(symbol), name, i));
        }
      }
    }
    return out;
  }

  // Sizes that are known now, of every tensor that has more than its own symbols.
  std::string shape_checks() const {
    std::string out;
    for (const Tensor& tensor : contract_.tensors) {
      out += tensor.optional ? "" : shape_check(tensor, kBody);
    }
    return out;
  }

  std::string shape_check(const Tensor& tensor, size_t indent) const {
    std::vector<std::string> sizes;
    bool says_more = !tensor.binds();
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      const Dimension& d = tensor.shape[i];
      if (d.kind == Dimension::Kind::kAny) {
        sizes.emplace_back("-1");
      } else if (d.kind == Dimension::Kind::kSymbol) {
        sizes.push_back(is_used(d.symbol) ? names_.value(d.symbol) : "-1");
        says_more = says_more || !is_bound_by(d.symbol, tensor, i);
      } else {
        sizes.push_back(cpp(d.expression));
        says_more = true;
      }
    }
    return says_more ? call(indent,
                            "shmem_ops::check_shape",
                            {name_of(tensor),
                             "kName",
                             quoted(tensor.name),
                             quoted(shape_text(tensor)),
                             "{" + joined(sizes, ", ") + "}"})
                     : "";
  }

  // What may be absent, where it is there.
  std::string optional_checks() const {
    std::string out;
    for (size_t i = 0; i < contract_.tensors.size(); ++i) {
      const Tensor& tensor = contract_.tensors[i];
      if (tensor.optional) {
        out += when_there(tensor,
                          kBody,
                          call(kBody + 2,
                               "shmem_ops::check_device",
                               {name_of(tensor), "kName", quoted(tensor.name)}) +
                              check_dtype(tensor, expected_dtype(tensor), kBody + 2) +
                              shape_check(tensor, kBody + 2) +
                              (tensor.is_output ? overlap_checks_of(i, kBody + 2) : ""));
      }
    }
    return out;
  }

  std::string when_there(const Tensor& tensor, size_t indent, const std::string& lines) const {
    return tensor.optional && !lines.empty()
               ? line(indent, fmt::format("if ({}.defined()) {{", name_of(tensor))) + lines +
                     line(indent, "}")
               : lines;
  }

  bool may_alias(size_t output, size_t input) const {
    const std::pair<int, int> wanted(static_cast<int>(output), static_cast<int>(input));
    return std::find(contract_.aliases.begin(), contract_.aliases.end(), wanted) !=
           contract_.aliases.end();
  }

  std::string overlap_checks() const {
    std::string out;
    const auto& tensors = contract_.tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].is_output && !tensors[i].optional) {
        out += overlap_checks_of(i, kBody);
      }
    }
    return out;
  }

  std::string overlap_checks_of(size_t i, size_t indent) const {
    const auto& tensors = contract_.tensors;
    std::string out = call(indent,
                           "shmem_ops::check_no_internal_overlap",
                           {name_of(tensors[i]), "kName", quoted(tensors[i].name)});
    for (size_t j = 0; j < tensors.size(); ++j) {
      if (j != i && !may_alias(i, j) && (!tensors[j].is_output || j > i)) {
        out += when_there(tensors[j],
                          indent,
                          call(tensors[j].optional ? indent + 2 : indent,
                               "shmem_ops::check_no_overlap",
                               {name_of(tensors[i]),
                                name_of(tensors[j]),
                                "kName",
                                quoted(tensors[i].name),
                                quoted(tensors[j].name)}));
      }
    }
    return out;
  }

  // Requirements that speak of block_dim follow its computation.
  std::string requirement(const contract::Requirement& requirement) const {
    return call(kBody,
                "TORCH_CHECK",
                {cpp(requirement.condition),
                 "kName",
                 quoted(": the contract requires " + requirement.text)});
  }
  std::string requirements(bool of_block_dim) const {
    std::string out;
    for (const contract::Requirement& item : contract_.requirements) {
      if (names_in(*item.condition).contains("block_dim") == of_block_dim) {
        out += requirement(item);
      }
    }
    return out;
  }
  std::string requirement_checks() const { return requirements(false); }

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
           requirements(true);
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
                                    quoted(argument.parameter)));
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
  Used used_;
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
