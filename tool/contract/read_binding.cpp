#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

constexpr int64_t kMostPes = 16384;  // ACLSHMEM_MAX_PES, shmem_api.md A.1

// "1..16" or "8"
bool read_range(const std::string& text, PeCounts& counts) {
  const size_t dots = text.find("..");
  const auto low = whole_number(trimmed(std::string_view(text).substr(0, dots)));
  const auto high = dots == std::string::npos ? low : whole_number(trimmed(text.substr(dots + 2)));
  counts.min = low.value_or(0);
  counts.max = high.value_or(0);
  return counts.min >= 1 && counts.max >= counts.min && counts.max <= kMostPes;
}

// [2, 4, 8]
bool read_list(const YamlNode& node, PeCounts& counts) {
  for (const YamlNode& item : node.items) {
    counts.list.push_back(number_of(item).value_or(0));
  }
  const auto out_of_range = [](int64_t count) { return count < 1 || count > kMostPes; };
  return !counts.list.empty() && std::none_of(counts.list.begin(), counts.list.end(), out_of_range);
}

// {multiple_of: 2, max: 8}
bool read_multiple(const YamlNode& node, PeCounts& counts) {
  const bool known =
      std::all_of(node.entries.begin(), node.entries.end(), [](const YamlEntry& entry) {
        return entry.key.text == "multiple_of" || entry.key.text == "max";
      });
  const YamlNode& max = node["max"];
  counts.multiple_of = number_of(node["multiple_of"]).value_or(0);
  counts.max = max.exists() ? number_of(max).value_or(0) : kMostPes;
  counts.min = counts.multiple_of;
  return known && counts.multiple_of >= 1 && counts.max >= counts.min && counts.max <= kMostPes;
}

void read_pe_counts(Reading& reading) {
  const YamlNode& node = reading.binding()["n_pes"];
  PeCounts& counts = reading.contract.pe_counts;
  const bool good = node.is_sequence() ? read_list(node, counts)
                    : node.is_map()    ? read_multiple(node, counts)
                    : node.is_scalar() ? read_range(node.text, counts)
                                       : true;
  if (!good) {
    reading.diagnostics.add(kBadPeCounts, node.span, node.text);
  }
}

bool is_symbol(const Contract& contract, std::string_view name) {
  for (const Tensor& tensor : contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kSymbol && dimension.symbol == name) {
        return true;
      }
    }
  }
  return false;
}

int tensor_index(const Contract& contract, std::string_view name) {
  for (size_t i = 0; i < contract.tensors.size(); ++i) {
    if (contract.tensors[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// A list, or one text.
void read_conditions(const YamlNode& node, std::string_view what, Reading& reading) {
  const std::vector<std::string> texts = strings_of(node, what, reading.diagnostics);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Span span = node.is_sequence() ? node.items[i].span : node.span;
    if (ExpressionPtr condition = parse_expression(texts[i], span, reading.diagnostics)) {
      reading.contract.requirements.push_back({std::move(condition), texts[i]});
    }
  }
}

void read_aliases(Reading& reading) {
  Contract& contract = reading.contract;
  for (const YamlNode& pair : reading.binding()["aliases"].items) {
    const bool two = pair.items.size() == 2;
    const int output = two ? tensor_index(contract, pair.items[0].text) : -1;
    const int input = two ? tensor_index(contract, pair.items[1].text) : -1;
    const bool fits = output >= 0 && input >= 0 && output != input &&
                      contract.tensors[static_cast<size_t>(output)].is_output &&
                      contract.tensors[static_cast<size_t>(input)].is_input;
    if (fits) {
      contract.aliases.emplace_back(output, input);
    } else {
      reading.diagnostics.add(kWrongForm, pair.span, "an alias is [output, input], by their names");
    }
  }
}

void check_fixed(Reading& reading) {
  for (const YamlNode& node : reading.binding()["fixed"].items) {
    if (node.is_scalar() && tensor_index(reading.contract, node.text) < 0) {
      reading.diagnostics.add(kUnknownName,
                              node.span,
                              fmt::format("'{}' in torch_binding.fixed is no tensor", node.text));
    }
  }
}

void read_shared(Reading& reading) {
  Contract& contract = reading.contract;
  const YamlNode& node = reading.binding()["shared"];
  const std::vector<std::string> names =
      strings_of(node, "torch_binding.shared", reading.diagnostics);
  for (size_t i = 0; i < names.size(); ++i) {
    const int index = tensor_index(contract, names[i]);
    if (index >= 0 && contract.tensors[static_cast<size_t>(index)].is_input) {
      contract.tensors[static_cast<size_t>(index)].shared = true;
    } else {
      reading.diagnostics.add(kUnknownName,
                              node.is_sequence() ? node.items[i].span : node.span,
                              fmt::format("'{}' in torch_binding.shared is no input", names[i]));
    }
  }
}

void read_seed_includes(Reading& reading) {
  const YamlNode& node = reading.binding()["seed_includes"];
  reading.contract.seed_includes = node.text == "true";
  if (node.exists() && node.text != "true" && node.text != "false") {
    reading.diagnostics.add(kWrongForm, node.span, "seed_includes: true or false");
  }
}

// interface.attrs may name block_dim, as DSL 0.3's example does; torch_binding.block_dim wins.
void read_block_dim(Reading& reading) {
  const YamlNode* node = &reading.binding()["block_dim"];
  for (const YamlNode& attribute : reading.root["interface"]["attrs"].items) {
    if (!node->exists() && attribute["name"].text == "block_dim") {
      node = &attribute["default"];
    }
  }
  if (node->exists()) {
    reading.contract.block_dim = expression_of(*node, reading.diagnostics);
  } else {
    reading.diagnostics.add(kMissing,
                            reading.place_of("torch_binding"),
                            "the number of blocks; add to torch_binding:  block_dim: \"<8>\"");
  }
}

// The only symmetric buffer's size, when it is an expression of its own.
ExpressionPtr size_of_the_buffer(Reading& reading) {
  const YamlNode* only = nullptr;
  for (const YamlNode& buffer : reading.root["memory"]["buffers"].items) {
    if (buffer["type"].text == "symmetric" && buffer["size"].is_scalar()) {
      if (only != nullptr) {
        return nullptr;
      }
      only = &buffer["size"];
    }
  }
  if (only == nullptr) {
    return nullptr;
  }
  Diagnostics not_said;  // prose is no mistake here
  ExpressionPtr size = parse_expression(only->text, only->span, not_said);
  return size != nullptr && names_in(*size).contains("state") ? nullptr : size;
}

// torch_binding.state, else the seed's memory.state, else the buffer's size.
void read_state(Reading& reading) {
  const YamlNode& ours = reading.binding()["state"];
  const YamlNode& seed = reading.root["memory"]["state"];
  if (ours.exists() && seed.exists() && ours.text != seed.text) {
    reading.diagnostics.add(kDisagree, ours.span, "torch_binding.state and memory.state")
        .related.emplace_back(seed.span, "the other one");
  }
  const YamlNode& node = ours.exists() ? ours : seed;
  reading.contract.state_bytes =
      node.exists() ? expression_of(node, reading.diagnostics) : size_of_the_buffer(reading);
}

void read_maxima(Reading& reading) {
  for (const auto& [key, value] : reading.binding()["max"].entries) {
    const auto number = number_of(value);
    if (!number || *number < 0) {
      reading.diagnostics.add(
          kWrongForm, value.span, fmt::format("max.{} is a whole number", key.text));
    }
    if (!is_symbol(reading.contract, key.text)) {
      reading.diagnostics.add(
          kUnknownName,
          key.span,
          fmt::format("'{}' in torch_binding.max is no shape symbol", key.text));
    }
    reading.contract.maxima[key.text] = number.value_or(0);
  }
}

void refuse_what_is_not_supported(Reading& reading) {
  const Span place = reading.place_of("interface");
  for (const Tensor& tensor : reading.contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kEllipsis) {
        reading.diagnostics.add(kNotYet, place, "'...' in the shape of " + tensor.name);
      }
    }
  }
}

}  // namespace

void read_binding(Reading& reading) {
  read_block_dim(reading);
  read_state(reading);
  read_maxima(reading);
  read_pe_counts(reading);
  read_conditions(
      reading.root["interface"]["shape_relations"], "interface.shape_relations", reading);
  read_conditions(reading.binding()["require"], "torch_binding.require", reading);
  read_aliases(reading);
  check_fixed(reading);
  read_shared(reading);
  read_seed_includes(reading);
  refuse_what_is_not_supported(reading);
}

}  // namespace shmem_bind::contract
