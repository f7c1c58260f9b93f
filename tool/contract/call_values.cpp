#include "tool/contract/call_values.h"

#include <fmt/format.h>

#include <limits>

#include "tool/contract/collective.h"
#include "tool/contract/dtype.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

template <class T>
constexpr NumberRange kRangeOf = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

std::optional<int64_t> value_of(const Expression& expression, const Values& values) {
  std::string why;
  return evaluate(expression, values, why);
}

std::string refused_size(const Contract& contract, const Case& test) {
  for (const auto& [symbol, most] : contract.maxima) {
    const auto size = test.symbols.find(symbol);
    if (size != test.symbols.end() && size->second > most) {
      return fmt::format("{} is at most {}", symbol, most);
    }
  }
  return "";
}

std::string refused_requirement(const Contract& contract, const Values& values) {
  for (const Requirement& requirement : contract.requirements) {
    if (value_of(*requirement.condition, values).value_or(0) == 0) {
      return requirement.text;
    }
  }
  return "";
}

std::string refused_argument(const Contract& contract, const Values& values) {
  for (const Argument& argument : contract.entry.arguments) {
    if (argument.expression == nullptr) {
      continue;
    }
    const auto value = value_of(*argument.expression, values);
    const auto range = range_of(argument.canonical_type);
    if (!value || (range && (*value < range->low || *value > range->high))) {
      return "arguments." + argument.parameter;
    }
  }
  return "";
}

std::string refused_golden(const Contract& contract, const Values& values, int64_t pes) {
  const Collective* collective =
      contract.golden ? collective_named(contract.golden->collective) : nullptr;
  return collective ? shape_misfit(contract, *collective, values.shapes, pes) : "";
}

}  // namespace

std::optional<NumberRange> range_of(const std::string& type) {
  if (type == "int") {
    return kRangeOf<int32_t>;
  }
  if (type == "unsigned int") {
    return kRangeOf<uint32_t>;
  }
  if (type == "short") {
    return kRangeOf<int16_t>;
  }
  if (type == "unsigned short") {
    return kRangeOf<uint16_t>;
  }
  if (type == "signed char" || type == "char") {
    return kRangeOf<int8_t>;
  }
  if (type == "unsigned char") {
    return kRangeOf<uint8_t>;
  }
  if (type == "unsigned long" || type == "unsigned long long") {
    return NumberRange{0, std::numeric_limits<int64_t>::max()};
  }
  return std::nullopt;
}

void add_attributes(const Contract& contract,
                    const std::map<std::string, std::string>& own,
                    Values& values) {
  for (const Attribute& attribute : contract.attributes) {
    const auto given = own.find(attribute.name);
    const std::string& text = given == own.end() ? attribute.default_text : given->second;
    if (attribute.type == Attribute::Type::kBool) {
      values.names[attribute.name] = text == "true" ? 1 : 0;
    } else if (attribute.type == Attribute::Type::kInt) {
      values.names[attribute.name] = whole_number(text).value_or(1);
    }
  }
}

Values values_of(const Contract& contract, const Call& call) {
  Values values;
  values.names = {{"n_pes", call.pes}, {"pe", call.pe}, {"epoch", 1}};
  values.names.insert(call.test.symbols.begin(), call.test.symbols.end());
  values.element_bytes["dtype"] = row(call.dtype).bytes;
  add_attributes(contract, call.test.attributes, values);
  return values;
}

bool add_tensors(const Contract& contract,
                 const Call& call,
                 const SizeOf& size_of,
                 Values& values) {
  for (const Tensor& tensor : contract.tensors) {
    std::vector<int64_t> shape;
    for (const Dimension& dimension : tensor.shape) {
      std::optional<int64_t> size = 1;  // `?`: anything
      if (dimension.kind == Dimension::Kind::kSymbol) {
        size = call.test.symbols.at(dimension.symbol);
      } else if (dimension.kind == Dimension::Kind::kExpression) {
        size = size_of(tensor, *dimension.expression, values);
      }
      if (!size) {
        return false;
      }
      shape.push_back(*size);
    }
    values.shapes[tensor.name] = std::move(shape);
    values.element_bytes[tensor.name] =
        row(tensor.follows_dispatch ? call.dtype : tensor.dtype).bytes;
  }
  return true;
}

std::string refusal(const Contract& contract, const Call& call) {
  if (std::string why = refused_size(contract, call.test); !why.empty()) {
    return why;
  }
  Values values = values_of(contract, call);
  std::string without_size;
  const SizeOf size_of =
      [&](const Tensor& tensor, const Expression& expression, const Values& known) {
        auto size = value_of(expression, known);
        if (!size || *size < 0) {
          without_size = "the shape of " + tensor.name;
          size.reset();
        }
        return size;
      };
  if (!add_tensors(contract, call, size_of, values)) {
    return without_size;
  }
  const auto blocks = value_of(*contract.block_dim, values);
  if (!blocks || *blocks < 1) {
    return "block_dim";
  }
  values.names["block_dim"] = *blocks;
  for (std::string why : {refused_requirement(contract, values),
                          refused_argument(contract, values),
                          refused_golden(contract, values, call.pes)}) {
    if (!why.empty()) {
      return why;
    }
  }
  return "";
}

}  // namespace shmem_bind::contract
