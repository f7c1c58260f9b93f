#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/naming.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

bool is_dispatch_word(std::string_view text) {
  return text == "dtype" || text == "T";
}

std::vector<Dtype> dtypes_of(const YamlNode& node,
                             std::string_view what,
                             Diagnostics& diagnostics) {
  std::vector<Dtype> result;
  const std::vector<std::string> names = strings_of(node, what, diagnostics);
  for (size_t i = 0; i < names.size(); ++i) {
    const Span span = node.is_sequence() ? node.items[i].span : node.span;
    if (const auto dtype = dtype_named(names[i])) {
      if (std::find(result.begin(), result.end(), *dtype) ==
          result.end()) {  // two spellings of one type are one type
        result.push_back(*dtype);
      }
    } else {
      const std::string near = nearest_name(names[i], dtype_names());
      diagnostics.add(
          kUnknownDtype, span, names[i] + (near.empty() ? "" : "; did you mean " + near + "?"));
    }
  }
  return result;
}

// The alternatives of the dispatch: the first place that names them; places that disagree are an
// error.
void read_dispatch(Reading& reading) {
  const std::vector<std::pair<std::string_view, const YamlNode*>> places = {
      {"torch_binding.dtypes", &reading.binding()["dtypes"]},
      {"interface.dtypes", &reading.root["interface"]["dtypes"]},
      {"source.user_confirmations.dtypes",
       &reading.root["source"]["user_confirmations"]["dtypes"]}};
  const YamlNode* first = nullptr;
  for (const auto& [what, node] : places) {
    if (!node->exists() || (node->is_sequence() && node->items.empty())) {
      continue;
    }
    const std::vector<Dtype> found = dtypes_of(*node, what, reading.diagnostics);
    if (first == nullptr) {
      first = node;
      reading.contract.dispatch = found;
    } else if (std::set<Dtype>(found.begin(), found.end()) !=
               std::set<Dtype>(reading.contract.dispatch.begin(),
                               reading.contract.dispatch.end())) {
      reading.diagnostics.add(kDisagree, node->span, std::string(what) + " names other dtypes")
          .related.emplace_back(first->span, "than this");
    }
  }
}

void read_dtype(Reading& reading,
                const YamlNode& node,
                const YamlNode& owner,
                Tensor& tensor,
                const std::set<std::string>& fixed) {
  const std::vector<Dtype>& dispatch = reading.contract.dispatch;
  if (!node.exists()) {
    reading.diagnostics.add(kMissing, owner.span, "dtype of " + tensor.name);
  } else if (node.is_scalar() && is_dispatch_word(node.text)) {
    tensor.follows_dispatch = true;
    if (dispatch.empty()) {
      reading.diagnostics.add(
          kMissing, node.span, "the dtypes that dtype stands for: torch_binding.dtypes");
    }
  } else {
    const std::vector<Dtype> found = dtypes_of(node, "dtype", reading.diagnostics);
    if (found.size() > 1 && dispatch.empty()) {
      reading.contract.dispatch = found;
    }
    const bool alternative =
        !found.empty() &&
        std::find(reading.contract.dispatch.begin(), reading.contract.dispatch.end(), found[0]) !=
            reading.contract.dispatch.end();
    tensor.follows_dispatch = !fixed.contains(tensor.name) && alternative;
    tensor.dtype = found.empty() ? Dtype::kInt8 : found[0];
  }
}

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

// "[n_pes, rows, cols]" or a list.
std::vector<Dimension> read_shape(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Dimension> shape;
  if (node.is_sequence()) {
    for (const YamlNode& item : node.items) {
      shape.push_back(read_dimension(item.text, item.span, diagnostics));
    }
    return shape;
  }
  std::string_view text = trimmed(node.text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    diagnostics.add(kWrongForm, node.span, "a shape looks like \"[n_pes, rows, cols]\"");
    return shape;
  }
  text = text.substr(1, text.size() - 2);
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      const std::string_view part = trimmed(text.substr(begin, i - begin));
      if (!part.empty()) {
        shape.push_back(read_dimension(part, node.span, diagnostics));
      }
      begin = i + 1;
    }
  }
  return shape;
}

void read_tensor(Reading& reading,
                 const YamlNode& node,
                 bool output,
                 const std::set<std::string>& fixed) {
  const YamlNode& name = node["name"];
  if (!node.is_map() || !name.is_scalar()) {
    reading.diagnostics.add(kWrongForm, node.span, "a tensor is {name: …, dtype: …, shape: …}");
    return;
  }
  if (!is_identifier(name.text)) {
    reading.diagnostics.add(kBadName, name.span, name.text);
    return;
  }
  std::vector<Tensor>& tensors = reading.contract.tensors;
  const auto known = std::find_if(
      tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name.text; });
  if (known != tensors.end()) {
    if (output || known->is_input) {
      reading.diagnostics.add(kDuplicateTensor, name.span, name.text);
    }
    known->is_input = true;  // in both lists: read and written
    return;
  }
  Tensor tensor;
  tensor.name = name.text;
  tensor.cpp_name = cpp_name_of(name.text);
  if (is_keyword(name.text)) {
    reading.diagnostics.add(kKeywordName, name.span, name.text);
  }
  tensor.is_output = output;
  tensor.is_input = !output;
  tensor.optional = node["optional"].text == "true";
  read_dtype(reading, node["dtype"], node, tensor, fixed);
  const YamlNode& own = node["shape"];
  const YamlNode& shape = own.exists() ? own : reading.root["interface"]["shape"][name.text];
  if (shape.exists()) {
    tensor.shape = read_shape(shape, reading.diagnostics);
  } else {
    reading.diagnostics.add(kMissing, node.span, "shape of " + tensor.name);
  }
  tensors.push_back(std::move(tensor));
}

void read_attributes(Reading& reading) {
  for (const YamlNode& node : reading.root["interface"]["attrs"].items) {
    const YamlNode& name = node["name"];
    Attribute attribute;
    attribute.name = name.text;
    attribute.cpp_name = cpp_name_of(name.text);
    attribute.default_text = node["default"].text;
    const std::string& type = node["type"].text;
    attribute.type = type == "float"  ? Attribute::Type::kFloat
                     : type == "bool" ? Attribute::Type::kBool
                                      : Attribute::Type::kInt;
    if (!is_identifier(name.text) || (type != "int" && type != "float" && type != "bool")) {
      reading.diagnostics.add(
          kWrongForm, node.span, "an attribute is {name: …, type: int|float|bool, default: …}");
      continue;
    }
    reading.contract.attributes.push_back(std::move(attribute));
  }
}

// Symbols get their value from inputs; an output may only use what an input binds.
void check_symbols(Reading& reading) {
  std::set<std::string> bound;
  for (const Tensor& tensor : reading.contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (tensor.is_input && dimension.kind == Dimension::Kind::kSymbol) {
        bound.insert(dimension.symbol);
      }
    }
  }
  for (const Tensor& tensor : reading.contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kSymbol && !bound.contains(dimension.symbol)) {
        reading.diagnostics.add(
            kUnboundShape,
            reading.place_of("interface"),
            fmt::format("'{}' in the shape of {}", dimension.symbol, tensor.name));
      }
    }
  }
}

}  // namespace

void read_tensors(Reading& reading) {
  const YamlNode& interface = reading.root["interface"];
  read_dispatch(reading);
  std::set<std::string> fixed;
  for (const std::string& name :
       strings_of(reading.binding()["fixed"], "torch_binding.fixed", reading.diagnostics)) {
    fixed.insert(name);
  }
  for (const YamlNode& node : interface["outputs"].items) {
    read_tensor(reading, node, true, fixed);
  }
  for (const YamlNode& node : interface["inputs"].items) {
    read_tensor(reading, node, false, fixed);
  }
  if (interface["inputs"].items.empty()) {
    reading.diagnostics.add(kMissing, reading.place_of("interface"), "interface.inputs");
  }
  if (interface["outputs"].items.empty()) {
    reading.diagnostics.add(kMissing, reading.place_of("interface"), "interface.outputs");
  }
  read_attributes(reading);
  check_symbols(reading);
}

}  // namespace shmem_bind::contract
