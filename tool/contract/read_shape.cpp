#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

Dimension read_dimension(std::string_view text, Span place, Diagnostics& diagnostics) {
  Dimension dimension;
  if (text == "?") {
    dimension.kind = Dimension::Kind::kAny;
  } else if (text == "...") {
    dimension.kind = Dimension::Kind::kEllipsis;
  } else if (is_identifier(text) && text != "n_pes") {
    dimension.kind = Dimension::Kind::kSymbol;
    dimension.symbol = text;
  } else {
    dimension.expression = parse_expression(text, place, diagnostics);
  }
  return dimension;
}

// A part of a text, with its place.
struct Piece {
  std::string_view text;
  Span span;

  Piece part(size_t begin, size_t count) const {
    const std::string_view inner = trimmed(text.substr(begin, count));
    const size_t at = inner.empty() ? begin : static_cast<size_t>(inner.data() - text.data());
    return {inner, {span.source, span.begin + at, span.begin + at + inner.size()}};
  }
};

// Parts between separators that stand outside of brackets.
std::vector<Piece> split(const Piece& whole, char separator) {
  std::vector<Piece> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= whole.text.size(); ++i) {
    const char c = i < whole.text.size() ? whole.text[i] : separator;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.push_back(whole.part(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

std::vector<Dimension> read_shape_text(const Piece& whole, Diagnostics& diagnostics) {
  std::vector<Dimension> shape;
  const Piece text = whole.part(0, whole.text.size());
  if (text.text.size() < 2 || text.text.front() != '[' || text.text.back() != ']') {
    diagnostics.add(kWrongForm, text.span, "a shape looks like \"[n_pes, rows, cols]\"");
    return shape;
  }
  const Piece inner = text.part(1, text.text.size() - 2);
  if (inner.text.empty()) {
    return shape;  // a scalar
  }
  for (const Piece& part : split(inner, ',')) {
    if (part.text.empty()) {
      diagnostics.add(kWrongForm, text.span, "a dimension is empty");
    } else {
      shape.push_back(read_dimension(part.text, part.span, diagnostics));
    }
  }
  return shape;
}

}  // namespace

std::vector<Dimension> read_shape(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    return read_shape_text({node.text, node.span}, diagnostics);
  }
  std::vector<Dimension> shape;
  if (!node.is_sequence()) {
    diagnostics.add(kWrongForm, node.span, "a shape looks like \"[n_pes, rows, cols]\"");
  }
  for (const YamlNode& item : node.items) {
    if (item.is_scalar()) {
      shape.push_back(read_dimension(trimmed(item.text), item.span, diagnostics));
    } else {
      diagnostics.add(kWrongForm, item.span, "a dimension is a text or a number");
    }
  }
  return shape;
}

std::optional<std::vector<Dimension>> shape_in_list(const YamlNode& shapes,
                                                    const std::string& tensor,
                                                    Diagnostics& diagnostics) {
  if (shapes[tensor].exists()) {
    return read_shape(shapes[tensor], diagnostics);
  }
  if (!shapes.is_scalar()) {
    return std::nullopt;
  }
  for (const Piece& part : split({shapes.text, shapes.span}, ';')) {
    const size_t colon = part.text.find_first_of(":=");
    if (colon != std::string_view::npos && trimmed(part.text.substr(0, colon)) == tensor) {
      return read_shape_text(part.part(colon + 1, part.text.size()), diagnostics);
    }
  }
  return std::nullopt;
}

}  // namespace shmem_bind::contract
