#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/naming.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {

Span Reading::place_of(std::string_view section) const {
  for (const auto& [key, value] : root.entries) {
    if (key.text == section) {
      return key.span;
    }
  }
  return {document.source, root.span.begin, root.span.begin + 1};
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> number_of(const YamlNode& node) {
  return node.is_scalar() ? whole_number(node.text) : std::nullopt;
}

bool is_literal_of(Attribute::Type type, const std::string& text) {
  if (type == Attribute::Type::kBool) {
    return text == "true" || text == "false";
  }
  if (type == Attribute::Type::kInt) {
    return whole_number(text).has_value();
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<std::string> strings_of(const YamlNode& node,
                                    std::string_view what,
                                    Diagnostics& diagnostics) {
  std::vector<std::string> result;
  if (node.is_scalar()) {
    return {node.text};
  }
  if (!node.is_sequence() && node.exists()) {
    diagnostics.add(kWrongForm, node.span, fmt::format("{} is a list", what));
  }
  for (const YamlNode& item : node.items) {
    if (item.is_scalar()) {
      result.push_back(item.text);
    } else {
      diagnostics.add(kWrongForm, item.span, fmt::format("{} is a list of texts", what));
    }
  }
  return result;
}

ExpressionPtr expression_of(const YamlNode& node, Diagnostics& diagnostics) {
  if (!node.is_scalar()) {
    diagnostics.add(kWrongForm, node.span, "an expression is a text");
    return nullptr;
  }
  return parse_expression(node.text, node.span, diagnostics);
}

void read_meta(Reading& reading) {
  const YamlNode& meta = reading.root["meta"];
  Contract& contract = reading.contract;
  contract.op_kind = meta["op_kind"].text;
  const YamlNode& mode = meta["build_mode"];
  if (mode.text == "in_tree_example") {
    contract.build_mode = BuildMode::kInTreeExample;
  } else if (mode.exists() && mode.text != "independent_project") {
    reading.diagnostics.add(
        kWrongForm, mode.span, "build_mode: independent_project or in_tree_example");
  }
  const YamlNode& required = meta["torch_required"];
  if (required.text == "true" || required.text == "false") {
    contract.torch_required = required.text == "true";
  } else if (required.exists()) {
    reading.diagnostics.add(kWrongForm, required.span, "torch_required: true or false");
  }
  const YamlNode& name = reading.binding()["class_name"];
  contract.class_name = name.exists() ? name.text : class_name_of(contract.op_name);
  if (name.exists() && (!is_identifier(name.text) || is_keyword(name.text))) {
    reading.diagnostics.add(kBadName, name.span, name.text);
  }
  if (contract.class_name == "Manager") {
    reading.diagnostics.add(kBadName,
                            name.exists() ? name.span : meta["op_name"].span,
                            "Manager is the name of the manager class");
  }
}

}  // namespace shmem_bind::contract
