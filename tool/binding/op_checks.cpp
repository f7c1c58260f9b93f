#include "tool/binding/op_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/layout.h"
#include "tool/binding/literal.h"
#include "tool/binding/op_compute.h"
#include "tool/contract/dtype.h"
#include "tool/contract/expression.h"

namespace shmem_bind::binding {
namespace {

using contract::Argument;
using contract::Contract;
using contract::Dimension;
using contract::Dtype;
using contract::ExpressionPtr;
using contract::Tensor;

constexpr size_t kCheckIndent = 4;  // inside a method

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
class CheckWriter {
 public:
  CheckWriter(const Contract& contract, const CppNames& names)
      : contract_(contract), names_(names), used_(used_by(contract)) {}

  std::string text() const {
    return dtype_checks() + places() + binding_checks() + shape_checks() + optional_checks() +
           overlap_checks();
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
                {name_of(tensor), "kName", string_literal(tensor.name), std::string(expected)});
  }

  std::string dtype_checks() const {
    std::string out;
    const Tensor* first = leader();
    if (first != nullptr) {
      std::vector<std::string> supported;
      for (const Dtype dtype : contract_.dispatch) {
        supported.emplace_back(contract::row(dtype).dsl);
      }
      out += line(kCheckIndent,
                  fmt::format("const at::ScalarType dtype = {}.scalar_type();", name_of(*first)));
      out += call(kCheckIndent,
                  "TORCH_CHECK",
                  {"is_supported(dtype)",
                   "kName",
                   string_literal(fmt::format(": {} has dtype ", first->name)),
                   "dtype",
                   string_literal("; supported: " + joined(supported, ", "))});
    }
    for (const Tensor& tensor : contract_.tensors) {
      if (&tensor != first && !tensor.optional) {
        out += check_dtype(tensor, expected_dtype(tensor), kCheckIndent);
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
      out += line(kCheckIndent, "const int64_t n_pes = aclshmem_n_pes();");
    }
    if (used_.names.contains("pe")) {
      out += line(kCheckIndent, "const int64_t pe = aclshmem_my_pe();");
    }
    if (used_.tensors.contains("dtype") && leader() != nullptr) {
      out += assignment(kCheckIndent,
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
      out += call(
          kCheckIndent,
          "TORCH_CHECK",
          {fmt::format("{}.dim() == {}", name, tensor.shape.size()),
           "kName",
           string_literal(fmt::format(": {} must be {}, got ", tensor.name, shape_text(tensor))),
           name + ".sizes()"});
      for (size_t i = 0; i < tensor.shape.size(); ++i) {
        const std::string& symbol = tensor.shape[i].symbol;
        if (tensor.shape[i].kind == Dimension::Kind::kSymbol && is_bound_by(symbol, tensor, i) &&
            is_used(symbol)) {
          out +=
              line(kCheckIndent,
                   fmt::format("const int64_t {} = {}.size({});", names_.value(symbol), name, i));
        }
      }
    }
    return out;
  }

  // Sizes that are known now, of every tensor that has more than its own symbols.
  std::string shape_checks() const {
    std::string out;
    for (const Tensor& tensor : contract_.tensors) {
      out += tensor.optional ? "" : shape_check(tensor, kCheckIndent);
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
                             string_literal(tensor.name),
                             string_literal(shape_text(tensor)),
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
                          kCheckIndent,
                          call(kCheckIndent + 2,
                               "shmem_ops::check_device",
                               {name_of(tensor), "kName", string_literal(tensor.name)}) +
                              check_dtype(tensor, expected_dtype(tensor), kCheckIndent + 2) +
                              shape_check(tensor, kCheckIndent + 2) +
                              (tensor.is_output ? overlap_checks_of(i, kCheckIndent + 2) : ""));
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
        out += overlap_checks_of(i, kCheckIndent);
      }
    }
    return out;
  }

  std::string overlap_checks_of(size_t i, size_t indent) const {
    const auto& tensors = contract_.tensors;
    std::string out = call(indent,
                           "shmem_ops::check_no_internal_overlap",
                           {name_of(tensors[i]), "kName", string_literal(tensors[i].name)});
    for (size_t j = 0; j < tensors.size(); ++j) {
      if (j != i && !may_alias(i, j) && (!tensors[j].is_output || j > i)) {
        out += when_there(tensors[j],
                          indent,
                          call(tensors[j].optional ? indent + 2 : indent,
                               "shmem_ops::check_no_overlap",
                               {name_of(tensors[i]),
                                name_of(tensors[j]),
                                "kName",
                                string_literal(tensors[i].name),
                                string_literal(tensors[j].name)}));
      }
    }
    return out;
  }

  const Contract& contract_;
  const CppNames& names_;
  Used used_;
};

}  // namespace

std::string emit_checks(const Contract& contract, const CppNames& names) {
  return CheckWriter(contract, names).text() + emit_requirements(contract, names, false);
}

std::string emit_requirements(const Contract& contract, const CppNames& names, bool of_block_dim) {
  std::string out;
  for (const contract::Requirement& item : contract.requirements) {
    if (names_in(*item.condition).contains("block_dim") == of_block_dim) {
      out += call(kCheckIndent,
                  "TORCH_CHECK",
                  {cpp_text(item.condition, names),
                   "kName",
                   string_literal(": the contract requires " + item.text)});
    }
  }
  return out;
}

}  // namespace shmem_bind::binding
