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
      if (std::find(result.begin(), result.end(), *dtype) == result.end()) {
        result.push_back(*dtype);
      } else {
        diagnostics.add(kManyDtypes, span, fmt::format("{} is {}", names[i], row(*dtype).dsl));
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

// The shape of a tensor: its own, or the one the seed's dialect gives in interface.shape.
void read_its_shape(Reading& reading, const YamlNode& node, Tensor& tensor) {
  const YamlNode& interface = reading.root["interface"];
  const YamlNode& own = node["shape"];
  if (own.exists()) {
    tensor.shape = read_shape(own, reading.diagnostics);
    return;
  }
  const std::optional<std::vector<Dimension>> shape =
      shape_in_list(interface["shape"], tensor.name, reading.diagnostics);
  if (shape) {
    tensor.shape = *shape;
  } else {
    reading.diagnostics.add(
        kMissing,
        node.span,
        fmt::format("the shape of {}; add  shape: \"[<rows>, <cols>]\"", tensor.name));
  }
}

bool is_usable_name(Reading& reading, const YamlNode& name) {
  if (!is_identifier(name.text)) {
    reading.diagnostics.add(kBadName, name.span, name.text);
    return false;
  }
  if (is_reserved(name.text) || dtype_named(name.text)) {
    reading.diagnostics.add(kReservedName, name.span, name.text);
    return false;
  }
  return true;
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
  if (!is_usable_name(reading, name)) {
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
  const YamlNode& optional = node["optional"];
  tensor.optional = optional.text == "true";
  if (optional.exists() && optional.text != "true" && optional.text != "false") {
    reading.diagnostics.add(kWrongForm, optional.span, "optional: true or false");
  }
  read_dtype(reading, node["dtype"], node, tensor, fixed);
  read_its_shape(reading, node, tensor);
  tensors.push_back(std::move(tensor));
}

// block_dim is no attribute of the operator, though DSL 0.3's example lists it here.
void read_attributes(Reading& reading) {
  for (const YamlNode& node : reading.root["interface"]["attrs"].items) {
    const YamlNode& name = node["name"];
    const YamlNode& given = node["default"];
    const std::string& type = node["type"].text;
    if (name.text == "block_dim") {
      continue;
    }
    if (!name.is_scalar() || (type != "int" && type != "float" && type != "bool")) {
      reading.diagnostics.add(
          kWrongForm, node.span, "an attribute is {name: …, type: int|float|bool, default: …}");
      continue;
    }
    if (!is_usable_name(reading, name)) {
      continue;
    }
    Attribute attribute;
    attribute.name = name.text;
    attribute.cpp_name = cpp_name_of(name.text);
    attribute.type = type == "float"  ? Attribute::Type::kFloat
                     : type == "bool" ? Attribute::Type::kBool
                                      : Attribute::Type::kInt;
    attribute.default_text = given.text;
    if (given.exists() && !is_literal_of(attribute.type, given.text)) {
      reading.diagnostics.add(
          kWrongForm, given.span, fmt::format("the default of {} is no {}", name.text, type));
    }
    reading.contract.attributes.push_back(std::move(attribute));
  }
}

// One name, one meaning: tensors, attributes and shape symbols are locals of one function.
void check_unique_names(Reading& reading) {
  std::set<std::string> names;
  const Span place = reading.place_of("interface");
  const auto add = [&](const std::string& name, std::string_view what) {
    if (!names.insert(name).second) {
      reading.diagnostics.add(kDuplicateTensor, place, fmt::format("the {} {}", what, name));
    }
  };
  for (const Tensor& tensor : reading.contract.tensors) {
    add(tensor.name, "tensor");
  }
  for (const Attribute& attribute : reading.contract.attributes) {
    add(attribute.name, "attribute");
  }
  std::set<std::string> symbols;
  for (const Tensor& tensor : reading.contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      const std::string& symbol = dimension.symbol;
      if (dimension.kind != Dimension::Kind::kSymbol || !symbols.insert(symbol).second) {
        continue;
      }
      add(symbol, "shape symbol");
      if (is_keyword(symbol) || is_reserved(symbol)) {
        reading.diagnostics.add(kReservedName, place, fmt::format("shape symbol {}", symbol));
      }
    }
  }
}

int64_t errors_in(const Diagnostics& diagnostics) {
  return std::count_if(
      diagnostics.list().begin(), diagnostics.list().end(), [](const Diagnostic& item) {
        return item.rule->severity == Severity::kError;
      });
}

// Symbols get their value from inputs that every PE has; the others may only use what those bind.
void check_symbols(Reading& reading) {
  std::set<std::string> bound;
  for (const Tensor& tensor : reading.contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (tensor.binds() && dimension.kind == Dimension::Kind::kSymbol) {
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
            fmt::format("'{}' in the shape of {}{}",
                        dimension.symbol,
                        tensor.name,
                        tensor.optional && tensor.is_input ? ", which may be absent" : ""));
      }
    }
  }
}

// The instance of the kernel is chosen by a tensor that every PE has.
void check_dispatch(Reading& reading) {
  bool follows = false;
  bool always_there = false;
  for (const Tensor& tensor : reading.contract.tensors) {
    follows = follows || tensor.follows_dispatch;
    always_there = always_there || (tensor.follows_dispatch && !tensor.optional);
  }
  if (follows && !always_there) {
    reading.diagnostics.add(
        kNotYet, reading.place_of("interface"), "every tensor of the dispatch dtype may be absent");
  }
}

}  // namespace

void read_tensors(Reading& reading) {
  const YamlNode& interface = reading.root["interface"];
  read_dispatch(reading);
  const std::vector<std::string> names =
      strings_of(reading.binding()["fixed"], "torch_binding.fixed", reading.diagnostics);
  const std::set<std::string> fixed(names.begin(), names.end());
  const int64_t errors_before = errors_in(reading.diagnostics);
  for (const YamlNode& node : interface["outputs"].items) {
    read_tensor(reading, node, true, fixed);
  }
  for (const YamlNode& node : interface["inputs"].items) {
    read_tensor(reading, node, false, fixed);
  }
  const bool all_read = errors_in(reading.diagnostics) == errors_before;
  if (interface["inputs"].items.empty()) {
    reading.diagnostics.add(kMissing, reading.place_of("interface"), "interface.inputs");
  }
  if (interface["outputs"].items.empty()) {
    reading.diagnostics.add(kMissing, reading.place_of("interface"), "interface.outputs");
  }
  read_attributes(reading);
  check_unique_names(reading);
  if (all_read) {
    check_dispatch(reading);
    check_symbols(reading);  // else what was refused might have bound them
  }
}

}  // namespace shmem_bind::contract
