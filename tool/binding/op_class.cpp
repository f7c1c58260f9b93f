#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/snippets.h"
#include "tool/contract/dtype.h"
#include "tool/contract/expression.h"

// src/torch_bind_<op>.cpp: the class and the functional operator.

namespace shmem_bind::binding {
namespace {

using contract::Argument;
using contract::Attribute;
using contract::Contract;
using contract::Dimension;
using contract::Dtype;
using contract::ExpressionPtr;
using contract::Tensor;

// C++ text of a name in an expression: attributes by their C++ name, everything else is a local of
// compute().
contract::Naming cpp_names(const Contract& contract) {
  return [&contract](const std::string& name) {
    if (name == "sizeof(dtype)") {
      return std::string("element_bytes");
    }
    for (const Attribute& attribute : contract.attributes) {
      if (attribute.name == name) {
        return attribute.cpp_name;
      }
    }
    return name;
  };
}

contract::Naming cpp_tensors(const Contract& contract) {
  return [&contract](const std::string& name) {
    for (const Tensor& tensor : contract.tensors) {
      if (tensor.name == name) {
        return tensor.cpp_name;
      }
    }
    return name;
  };
}

std::string cpp(const Contract& contract, const ExpressionPtr& expression) {
  return to_cpp(*expression, cpp_names(contract), cpp_tensors(contract));
}

class OperatorWriter {
 public:
  explicit OperatorWriter(const Contract& contract) : contract_(contract) {}

  std::string text() {
    return filled("torch_bind_op.cpp",
                  {{"class", contract_.class_name},
                   {"op", contract_.op_name},
                   {"header", contract_.op_name + "_kernel.h"},
                   {"parameters", parameters()},
                   {"schema", schema()},
                   {"forward", forward()},
                   {"functional", functional_parameters()},
                   {"registration", registration()},
                   {"state", state()},
                   {"checks", checks()},
                   {"values", values()},
                   {"dispatch", dispatch()},
                   {"copies", copies()},
                   {"copy_back", copy_back()},
                   {"tensor_addresses", addresses()}});
  }

 private:
  void line(std::string& out, int indent, const std::string& text) const {
    out += std::string(static_cast<size_t>(indent), ' ') + text + "\n";
  }
  static std::string without_last_newline(std::string text) {
    if (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return text;
  }

  std::string attribute_type(const Attribute& a) const {
    return a.type == Attribute::Type::kFloat  ? "double"
           : a.type == Attribute::Type::kBool ? "bool"
                                              : "int64_t";
  }

  std::string parameters() const {
    std::vector<std::string> list;
    for (const Tensor& t : contract_.tensors) {
      list.push_back("const at::Tensor& " + t.cpp_name);
    }
    for (const Attribute& a : contract_.attributes) {
      list.push_back(attribute_type(a) + " " + a.cpp_name);
    }
    return joined(list, ", ");
  }

  std::string functional_parameters() const {
    std::vector<std::string> list;
    for (const Tensor& t : contract_.tensors) {
      list.push_back((t.is_output ? "at::Tensor " : "const at::Tensor& ") + t.cpp_name);
    }
    for (const Attribute& a : contract_.attributes) {
      list.push_back(attribute_type(a) + " " + a.cpp_name);
    }
    return joined(list, ", ");
  }

  std::string forward() const {
    std::vector<std::string> list;
    for (const Tensor& t : contract_.tensors) {
      list.push_back(t.cpp_name);
    }
    for (const Attribute& a : contract_.attributes) {
      list.push_back(a.cpp_name);
    }
    return joined(list, ", ");
  }

  std::string tensor_list() const {
    std::vector<std::string> list;
    for (const Tensor& t : contract_.tensors) {
      list.push_back(t.cpp_name);
    }
    return joined(list, ", ");
  }

  std::string addresses() const {
    std::vector<std::string> list;
    for (const Tensor& t : contract_.tensors) {
      list.push_back("&" + t.cpp_name);
    }
    return joined(list, ", ");
  }

  std::string schema() const {
    std::vector<std::string> list = {
        fmt::format("__torch__.torch.classes.ShmemOps.{} op", contract_.class_name)};
    char mark = 'a';
    for (const Tensor& t : contract_.tensors) {
      list.push_back(t.is_output ? fmt::format("Tensor({}!) {}", mark++, t.name)
                                 : "Tensor " + t.name);
    }
    for (const Attribute& a : contract_.attributes) {
      const char* type = a.type == Attribute::Type::kFloat  ? "float"
                         : a.type == Attribute::Type::kBool ? "bool"
                                                            : "int";
      list.push_back(
          fmt::format("{} {}{}", type, a.name, a.default_text.empty() ? "" : "=" + a.default_text));
    }
    return fmt::format("{}({}) -> ()", contract_.op_name, joined(list, ", "));
  }

  std::string registration() const {
    std::string names;
    for (const Tensor& t : contract_.tensors) {
      names += ", \"" + t.name + "\"";
    }
    for (const Attribute& a : contract_.attributes) {
      names +=
          a.default_text.empty()
              ? ", \"" + a.name + "\""
              : fmt::format(
                    ", torch::arg(\"{}\") = {}{{{}}}", a.name, attribute_type(a), a.default_text);
    }
    return fmt::format("(compute{}), (close), (get_name)", names);
  }

  // Body of state_bytes().
  std::string state() const {
    std::string out;
    line(out, 4, "const int64_t n_pes = aclshmem_n_pes();");
    const contract::PeCounts& counts = contract_.pe_counts;
    std::string allowed = fmt::format("n_pes >= {} && n_pes <= {}", counts.min, counts.max);
    if (counts.multiple_of > 1) {
      allowed += fmt::format(" && n_pes % {} == 0", counts.multiple_of);
    }
    if (!counts.list.empty()) {
      std::vector<std::string> cases;
      for (const int64_t count : counts.list) {
        cases.push_back(fmt::format("n_pes == {}", count));
      }
      allowed = joined(cases, " || ");
    }
    line(out, 4, "TORCH_CHECK(shmem_ops::is_initialised(),");
    line(out, 4, "            kName,");
    line(out,
         4,
         "            \": SHMEM is not initialised; call Manager.attr_init on every PE first\");");
    line(out,
         4,
         fmt::format("TORCH_CHECK({}, kName, \": {} PEs; it works with {}\");",
                     allowed,
                     "\", n_pes, \"",
                     counts.text()));
    for (const auto& [name, value] : contract_.maxima) {
      line(out, 4, fmt::format("[[maybe_unused]] constexpr int64_t {} = {};", name, value));
    }
    int64_t largest = 1;
    for (const Dtype dtype : contract_.dispatch) {
      largest = std::max(largest, contract::row(dtype).bytes);
    }
    line(out,
         4,
         fmt::format("[[maybe_unused]] constexpr int64_t element_bytes = {};  // the largest dtype",
                     largest));
    const std::string bytes =
        contract_.state_bytes == nullptr ? "16" : cpp(contract_, contract_.state_bytes);
    line(out, 4, fmt::format("return {};", bytes));
    return without_last_newline(out);
  }

  const Tensor* dispatch_tensor() const {
    for (const Tensor& t : contract_.tensors) {
      if (t.follows_dispatch && t.is_input) {
        return &t;
      }
    }
    for (const Tensor& t : contract_.tensors) {
      if (t.follows_dispatch) {
        return &t;
      }
    }
    return nullptr;
  }

  std::vector<const Tensor*> inputs_first() const {
    std::vector<const Tensor*> order;
    for (const Tensor& t : contract_.tensors) {
      if (t.is_input) {
        order.push_back(&t);
      }
    }
    for (const Tensor& t : contract_.tensors) {
      if (!t.is_input) {
        order.push_back(&t);
      }
    }
    return order;
  }

  std::string dtype_checks() const {
    std::string out;
    if (const Tensor* leader = dispatch_tensor()) {
      std::vector<std::string> cases;
      std::vector<std::string> names;
      for (const Dtype dtype : contract_.dispatch) {
        cases.push_back("dtype == " + std::string(contract::row(dtype).scalar_type));
        names.emplace_back(contract::row(dtype).dsl);
      }
      line(out, 4, fmt::format("const at::ScalarType dtype = {}.scalar_type();", leader->cpp_name));
      line(out, 4, fmt::format("TORCH_CHECK({},", joined(cases, " || ")));
      line(out, 4, "            kName,");
      line(out, 4, fmt::format("            \": {} has dtype \",", leader->name));
      line(out, 4, "            dtype,");
      line(out, 4, fmt::format("            \"; supported: {}\");", joined(names, ", ")));
      for (const Tensor& t : contract_.tensors) {
        if (t.follows_dispatch && &t != leader) {
          line(out, 4, fmt::format("check_dtype({}, \"{}\", dtype);", t.cpp_name, t.name));
        }
      }
      line(out,
           4,
           fmt::format("[[maybe_unused]] const int64_t element_bytes = "
                       "static_cast<int64_t>({}.element_size());",
                       leader->cpp_name));
    }
    for (const Tensor& t : contract_.tensors) {
      if (!t.follows_dispatch) {
        line(out,
             4,
             fmt::format("check_dtype({}, \"{}\", {});",
                         t.cpp_name,
                         t.name,
                         contract::row(t.dtype).scalar_type));
      }
    }
    return out;
  }

  std::string shape_checks() const {
    std::string out;
    std::set<std::string> bound;
    for (const Tensor* t : inputs_first()) {
      std::vector<std::string> words;
      std::vector<std::string> values;
      std::vector<std::string> conditions = {
          fmt::format("{}.dim() == {}", t->cpp_name, t->shape.size())};
      std::vector<std::pair<std::string, size_t>> fresh;
      for (size_t i = 0; i < t->shape.size(); ++i) {
        const Dimension& d = t->shape[i];
        const std::string size = fmt::format("{}.size({})", t->cpp_name, i);
        if (d.kind == Dimension::Kind::kAny) {
          words.emplace_back("?");
        } else if (d.kind == Dimension::Kind::kSymbol) {
          words.push_back(d.symbol);
          if (bound.insert(d.symbol).second) {
            fresh.emplace_back(d.symbol, i);
          } else {
            conditions.push_back(size + " == " + d.symbol);
          }
        } else {
          const std::string text = cpp(contract_, d.expression);
          words.push_back(text);
          conditions.push_back(size + " == " + text);
        }
      }
      line(out, 4, fmt::format("TORCH_CHECK({},", joined(conditions, " && ")));
      line(out, 4, "            kName,");
      line(out,
           4,
           fmt::format("            \": {} must be [{}]{}, got \",",
                       t->name,
                       joined(words, ", "),
                       known_sizes(*t, fresh)));
      line(out, 4, fmt::format("            {}.sizes());", t->cpp_name));
      for (const auto& [symbol, index] : fresh) {
        line(out,
             4,
             fmt::format(
                 "[[maybe_unused]] const int64_t {} = {}.size({});", symbol, t->cpp_name, index));
      }
    }
    return out;
  }

  // "" or ` with n_pes = ", n_pes, "`: values the reader of the message cannot see.
  std::string known_sizes(const Tensor& t,
                          const std::vector<std::pair<std::string, size_t>>& fresh) const {
    std::vector<std::string> parts;
    for (const Dimension& d : t.shape) {
      const bool is_fresh = std::any_of(
          fresh.begin(), fresh.end(), [&](const auto& item) { return item.first == d.symbol; });
      if (d.kind == Dimension::Kind::kSymbol && !is_fresh) {
        parts.push_back(fmt::format("{0} = \",\n            {0},\n            \"", d.symbol));
      } else if (d.kind == Dimension::Kind::kExpression &&
                 names_in(*d.expression).contains("n_pes")) {
        parts.emplace_back("n_pes = \",\n            n_pes,\n            \"");
      }
    }
    return parts.empty() ? "" : " with " + joined(parts, ", ");
  }

  std::string overlap_checks() const {
    std::string out;
    const auto& tensors = contract_.tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].is_output) {
        continue;
      }
      line(out,
           4,
           fmt::format("shmem_ops::check_no_internal_overlap({}, kName, \"{}\");",
                       tensors[i].cpp_name,
                       tensors[i].name));
      for (size_t j = 0; j < tensors.size(); ++j) {
        const bool alias =
            std::find(contract_.aliases.begin(),
                      contract_.aliases.end(),
                      std::pair<int, int>(static_cast<int>(i), static_cast<int>(j))) !=
            contract_.aliases.end();
        if (j != i && !alias && (!tensors[j].is_output || j > i)) {
          line(out,
               4,
               fmt::format("shmem_ops::check_no_overlap({}, {}, kName, \"{}\", \"{}\");",
                           tensors[i].cpp_name,
                           tensors[j].cpp_name,
                           tensors[i].name,
                           tensors[j].name));
        }
      }
    }
    return out;
  }

  std::string checks() const {
    std::string out;
    for (const Tensor& t : contract_.tensors) {
      line(out, 4, fmt::format("shmem_ops::check_device({}, kName, \"{}\");", t.cpp_name, t.name));
    }
    out += dtype_checks();
    line(out, 4, "[[maybe_unused]] const int64_t n_pes = aclshmem_n_pes();");
    line(out, 4, "[[maybe_unused]] const int64_t pe = aclshmem_my_pe();");
    out += shape_checks();
    out += overlap_checks();
    for (const contract::Requirement& r : contract_.requirements) {
      line(out,
           4,
           fmt::format("TORCH_CHECK({}, kName, \": the contract requires {}\");",
                       cpp(contract_, r.condition),
                       replaced(r.text, "\"", "\\\"")));
    }
    return without_last_newline(out);
  }

  std::string values() const {
    std::string out;
    line(out, 4, fmt::format("const int64_t block_dim = {};", cpp(contract_, contract_.block_dim)));
    line(out, 4, "TORCH_CHECK(block_dim >= 1, kName, \": block_dim is \", block_dim);");
    line(out, 4, "const int64_t epoch = epoch_.next();");
    line(out, 4, fmt::format("shmem_ops::check_same_call(kName, epoch, {{{}}});", tensor_list()));
    for (size_t i = 0; i < contract_.entry.arguments.size(); ++i) {
      const Argument& a = contract_.entry.arguments[i];
      if (a.role == Argument::Role::kExpression) {
        line(out,
             4,
             fmt::format("const auto {} = shmem_ops::narrow<{}>({}, kName, \"{}\");",
                         value_name(i),
                         a.cpp_type,
                         cpp(contract_, a.expression),
                         a.parameter));
      } else if (a.role == Argument::Role::kBlockDim) {
        line(out,
             4,
             fmt::format("const auto {} = shmem_ops::narrow<{}>(block_dim, kName, \"{}\");",
                         value_name(i),
                         a.cpp_type,
                         a.parameter));
      }
    }
    return without_last_newline(out);
  }

  std::string value_name(size_t i) const {
    const Argument& a = contract_.entry.arguments[i];
    return (a.parameter.empty() ? fmt::format("argument{}", i) : a.parameter) + "_value";
  }

  static std::string copy_name(const Tensor& t) { return t.cpp_name + "_dense"; }

  // Contiguous forms: what the kernel reads and writes.
  std::string copies() const {
    std::string out;
    for (const Tensor& t : contract_.tensors) {
      if (t.is_input) {
        line(out,
             4,
             fmt::format("const at::Tensor {} = {}.contiguous();", copy_name(t), t.cpp_name));
      } else {
        line(out, 4, fmt::format("const at::Tensor {0} =", copy_name(t)));
        line(out,
             8,
             fmt::format("{0}.is_contiguous() ? {0} : {0}.new_empty({0}.sizes());", t.cpp_name));
      }
    }
    return without_last_newline(out);
  }

  std::string copy_back() const {
    std::string out;
    for (const Tensor& t : contract_.tensors) {
      if (t.is_output) {
        line(out, 4, fmt::format("if (!{}.is_same({})) {{", copy_name(t), t.cpp_name));
        line(out, 6, fmt::format("{}.copy_({});", t.cpp_name, copy_name(t)));
        line(out, 4, "}");
      }
    }
    return without_last_newline(out);
  }

  std::string call() const {
    std::vector<std::string> list;
    for (size_t i = 0; i < contract_.entry.arguments.size(); ++i) {
      const Argument& a = contract_.entry.arguments[i];
      const std::string& type = a.cpp_type;
      const bool is_void = type == "void*";
      switch (a.role) {
        case Argument::Role::kStream:
          list.emplace_back("stream");
          break;
        case Argument::Role::kFfts:
          list.emplace_back("util_get_ffts_config()");
          break;
        case Argument::Role::kState:
          list.push_back(type == "uint8_t*" || is_void
                             ? "state"
                             : fmt::format("reinterpret_cast<{}>(state)", type));
          break;
        case Argument::Role::kTensor: {
          const std::string data =
              copy_name(contract_.tensors[static_cast<size_t>(a.tensor)]) + ".data_ptr()";
          list.push_back(is_void ? data : fmt::format("static_cast<{}>({})", type, data));
          break;
        }
        default:
          list.push_back(value_name(i));
          break;
      }
    }
    const std::string instance = contract_.entry.is_template ? "<T>" : "";
    return fmt::format("{}{}(\n            {});",
                       contract_.entry.qualified_name,
                       instance,
                       joined(list, ",\n            "));
  }

  std::string dispatch() const {
    std::string out;
    if (contract_.dispatch.empty()) {
      line(out, 6, replaced(call(), "\n  ", "\n"));
      line(out, 6, "return 0;");
      return without_last_newline(out);
    }
    line(out,
         6,
         contract_.entry.is_template
             ? "const auto run = [&]<class T>(std::type_identity<T>) -> int {"
             : "const auto run = [&](auto) -> int {");
    line(out, 8, call());
    line(out, 8, "return 0;");
    line(out, 6, "};");
    line(out, 6, "switch (dtype) {");
    for (const Dtype dtype : contract_.dispatch) {
      line(out, 8, fmt::format("case {}:", contract::row(dtype).scalar_type));
      line(out,
           10,
           fmt::format("return run(std::type_identity<{}>{{}});", contract::row(dtype).host_type));
    }
    line(out, 8, "default:");
    line(out, 10, "return 1;  // checked above");
    line(out, 6, "}");
    return without_last_newline(out);
  }

  const Contract& contract_;
};

}  // namespace

std::string emit_operator_class(const Contract& contract) {
  return OperatorWriter(contract).text();
}

}  // namespace shmem_bind::binding
