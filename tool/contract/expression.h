#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tool/base/diagnostic.h"
#include "tool/contract/contract.h"

// The expression language of docs/contract.md: 64-bit integers, units, names, calls. One parser,
// one evaluator, two renderings.

namespace shmem_bind::contract {

// `place` covers `text` in its source. Null and a diagnostic when it is not an expression.
ExpressionPtr parse_expression(std::string_view text, Span place, Diagnostics& diagnostics);

// Names and tensors an evaluation may use.
struct Values {
  std::map<std::string, int64_t> names;
  std::map<std::string, std::vector<int64_t>> shapes;  // of tensors
  std::map<std::string, int64_t> element_bytes;        // of tensors, and "dtype"
};

// Nothing on overflow, division by zero or an unknown name; `why` then says which.
std::optional<int64_t> evaluate(const Expression& expression,
                                const Values& values,
                                std::string& why);

// Every name in the expression that is not the argument of a tensor function.
std::set<std::string> names_in(const Expression& expression);
// Every tensor that numel, bytes, dim, ndim or sizeof is asked about.
std::set<std::string> tensors_in(const Expression& expression);

// As C++ over int64_t. Arithmetic that can overflow goes through shmem_ops::add, sub, mul, div,
// mod, which throw. `name` gives the C++ text of a name, `tensor` of a tensor variable.
using Naming = std::function<std::string(const std::string&)>;
std::string to_cpp(const Expression& expression, const Naming& name, const Naming& tensor);

// As Python over int.
std::string to_python(const Expression& expression, const Naming& name, const Naming& tensor);

bool is_function(std::string_view name);

}  // namespace shmem_bind::contract
