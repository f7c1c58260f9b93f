#include <fmt/format.h>

#include <algorithm>

#include <limits>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

struct Known {
  std::set<std::string> names;
  std::set<std::string> tensors;
};

Known known_to(const Contract& contract) {
  Known known;
  known.names = {"n_pes", "pe", "block_dim", "epoch"};
  known.tensors = {"dtype"};
  for (const Attribute& attribute : contract.attributes) {
    if (attribute.type != Attribute::Type::kFloat) {  // expressions are whole numbers
      known.names.insert(attribute.name);
    }
  }
  for (const Tensor& tensor : contract.tensors) {
    known.tensors.insert(tensor.name);
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kSymbol) {
        known.names.insert(dimension.symbol);
      }
    }
  }
  return known;
}

// The first call in the expression that asks about a tensor that may be absent; numel is 0 then.
const Expression* asks_the_absent(const Expression& expression, const Contract& contract) {
  if (expression.kind == Expression::Kind::kCall && expression.text != "numel") {
    for (const Tensor& tensor : contract.tensors) {
      if (tensor.optional && expression.operands[0]->text == tensor.name) {
        return &expression;
      }
    }
  }
  for (const ExpressionPtr& operand : expression.operands) {
    if (const Expression* found = asks_the_absent(*operand, contract)) {
      return found;
    }
  }
  return nullptr;
}

void check_one(const ExpressionPtr& expression,
               const Contract& contract,
               const Known& known,
               std::string_view where,
               Diagnostics& diagnostics) {
  if (expression == nullptr) {
    return;
  }
  const auto complain = [&](const std::string& name, const std::set<std::string>& candidates) {
    const std::string near = nearest_name(name, {candidates.begin(), candidates.end()});
    diagnostics.add(
        kUnknownName,
        expression->span,
        fmt::format(
            "'{}' in {}{}", name, where, near.empty() ? "" : "; did you mean " + near + "?"));
  };
  for (const std::string& name : names_in(*expression)) {
    if (!known.names.contains(name)) {
      complain(name, known.names);
    }
  }
  for (const std::string& tensor : tensors_in(*expression)) {
    if (!known.tensors.contains(tensor)) {
      complain(tensor, known.tensors);
    }
  }
  if (const Expression* call = asks_the_absent(*expression, contract)) {
    diagnostics.add(kNoValue,
                    expression->span,
                    fmt::format("{}({}) in {}: {} may be absent; numel, 0 then, can be asked",
                                call->text,
                                call->operands[0]->text,
                                where,
                                call->operands[0]->text));
  }
}

// state is evaluated once, at construction: only n_pes, constants, attributes' defaults and bounded
// symbols.
void check_state(Reading& reading) {
  const Contract& contract = reading.contract;
  if (contract.state_bytes == nullptr) {
    return;
  }
  std::set<std::string> allowed = {"n_pes"};
  for (const Attribute& attribute : contract.attributes) {
    if (!attribute.default_text.empty()) {
      allowed.insert(attribute.name);
    }
  }
  for (const auto& [name, value] : contract.maxima) {
    allowed.insert(name);
  }
  for (const std::string& name : names_in(*contract.state_bytes)) {
    if (!allowed.contains(name)) {
      reading.diagnostics.add(
          kUnboundSymbol,
          contract.state_bytes->span,
          fmt::format("'{}' in state; add  max: {{{}: <largest value>}}", name, name));
    }
  }
  for (const std::string& tensor : tensors_in(*contract.state_bytes)) {
    if (tensor != "dtype") {
      reading.diagnostics.add(kUnboundSymbol,
                              contract.state_bytes->span,
                              fmt::format("the size of '{}' in state is not known yet", tensor));
    }
  }
}

}  // namespace

void check_names(Reading& reading) {
  const Contract& contract = reading.contract;
  const Known known = known_to(contract);
  check_one(contract.block_dim, contract, known, "block_dim", reading.diagnostics);
  check_one(contract.state_bytes, contract, known, "state", reading.diagnostics);
  for (const Requirement& requirement : contract.requirements) {
    check_one(requirement.condition, contract, known, "require", reading.diagnostics);
  }
  for (const Argument& argument : contract.entry.arguments) {
    check_one(argument.expression,
              contract,
              known,
              "arguments." + argument.parameter,
              reading.diagnostics);
  }
  for (const Tensor& tensor : contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      check_one(dimension.expression,
                contract,
                known,
                "the shape of " + tensor.name,
                reading.diagnostics);
    }
  }
  check_state(reading);
}

bool PeCounts::allows(int64_t pe_count) const {
  if (!list.empty()) {
    return std::find(list.begin(), list.end(), pe_count) != list.end();
  }
  return pe_count >= min && pe_count <= max && pe_count % multiple_of == 0;
}

std::string PeCounts::text() const {
  if (!list.empty()) {
    std::vector<std::string> parts;
    for (const int64_t count : list) {
      parts.push_back(std::to_string(count));
    }
    return joined(parts, ", ");
  }
  return fmt::format(
      "{}..{}{}", min, max, multiple_of > 1 ? fmt::format(", a multiple of {}", multiple_of) : "");
}

}  // namespace shmem_bind::contract
