#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

std::optional<int64_t> number_of(const YamlNode& node) {
  char* end = nullptr;
  const long long value = std::strtoll(node.text.c_str(), &end, 10);
  return node.is_scalar() && !node.text.empty() && *end == '\0' ? std::optional<int64_t>(value)
                                                                : std::nullopt;
}

void read_pe_counts(Reading& reading) {
  const YamlNode& node = reading.binding()["n_pes"];
  PeCounts& counts = reading.contract.pe_counts;
  bool good = true;
  if (node.is_sequence()) {
    for (const YamlNode& item : node.items) {
      const auto value = number_of(item);
      good = good && value && *value >= 1;
      counts.list.push_back(value.value_or(1));
    }
  } else if (node.is_map()) {
    counts.multiple_of = number_of(node["multiple_of"]).value_or(1);
    counts.max = number_of(node["max"]).value_or(counts.max);
    counts.min = counts.multiple_of;
    good = counts.multiple_of >= 1 && counts.max >= counts.min;
  } else if (node.is_scalar()) {
    const size_t dots = node.text.find("..");
    YamlNode from = node;
    YamlNode to = node;
    if (dots != std::string::npos) {
      from.text = node.text.substr(0, dots);
      to.text = node.text.substr(dots + 2);
    }
    const auto low = number_of(from);
    const auto high = number_of(to);
    good = low && high && *low >= 1 && *high >= *low;
    counts.min = low.value_or(1);
    counts.max = high.value_or(1);
  }
  if (!good) {
    reading.diagnostics.add(kBadPeCounts, node.span, node.text);
  }
}

int tensor_index(const Contract& contract, std::string_view name) {
  for (size_t i = 0; i < contract.tensors.size(); ++i) {
    if (contract.tensors[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void read_requirements(Reading& reading) {
  for (const YamlNode* list :
       {&reading.root["interface"]["shape_relations"], &reading.binding()["require"]}) {
    for (const YamlNode& item : list->items) {
      if (ExpressionPtr condition = expression_of(item, reading.diagnostics)) {
        reading.contract.requirements.push_back({std::move(condition), item.text});
      }
    }
  }
}

void read_tensor_lists(Reading& reading) {
  Contract& contract = reading.contract;
  for (const YamlNode& pair : reading.binding()["aliases"].items) {
    const int first = pair.items.size() == 2 ? tensor_index(contract, pair.items[0].text) : -1;
    const int second = pair.items.size() == 2 ? tensor_index(contract, pair.items[1].text) : -1;
    if (first < 0 || second < 0) {
      reading.diagnostics.add(kWrongForm, pair.span, "an alias is [output, input]");
    } else {
      contract.aliases.emplace_back(first, second);
    }
  }
  for (const YamlNode& item : reading.binding()["shared"].items) {
    const int index = tensor_index(contract, item.text);
    if (index < 0) {
      reading.diagnostics.add(kUnknownName, item.span, item.text);
    } else {
      contract.tensors[static_cast<size_t>(index)].shared = true;
    }
  }
}

const std::vector<std::string>& known_collectives() {
  static const std::vector<std::string> names = {"all_gather"};
  return names;
}

void read_golden(Reading& reading) {
  const YamlNode& given = reading.binding()["golden"];
  const YamlNode& oracle = reading.root["correctness"]["oracle"];
  const bool deducible =
      std::find(known_collectives().begin(), known_collectives().end(), oracle.text) !=
      known_collectives().end();
  const YamlNode& node = given.exists() || !deducible ? given : oracle;
  Golden golden;
  const size_t colon = node.text.rfind(".py:");
  if (!node.is_scalar()) {
    reading.diagnostics.add(kNoGolden,
                            reading.place_of("torch_binding"),
                            oracle.exists() ? "correctness.oracle says: " + oracle.text : "");
    return;
  }
  if (node.text == "document") {
    golden.kind = Golden::Kind::kDocument;
    int found = 0;
    for (const FencedBlock& block : reading.document.blocks) {
      if (block.info == "python golden") {
        golden.python = block.text;
        ++found;
      }
    }
    if (found != 1) {
      reading.diagnostics.add(
          kUnknownGolden,
          node.span,
          fmt::format("{} fenced blocks with info string `python golden`; one is needed", found));
    }
  } else if (colon != std::string::npos) {
    golden.kind = Golden::Kind::kFile;
    golden.file = node.text.substr(0, colon + 3);
    golden.function = node.text.substr(colon + 4);
    if (!is_identifier(golden.function) || golden.file.front() == '/' ||
        golden.file.find("..") != std::string::npos) {
      reading.diagnostics.add(
          kUnknownGolden, node.span, "path.py:function, inside the operator's folder");
    }
  } else {
    golden.collective = node.text;
    if (std::find(known_collectives().begin(), known_collectives().end(), node.text) ==
        known_collectives().end()) {
      reading.diagnostics.add(kUnknownGolden, node.span, node.text);
    }
  }
  reading.contract.golden = std::move(golden);
}

// The numbers of "[64, 32]"; empty when it is something else.
std::vector<int64_t> numbers_of(const YamlNode& node) {
  std::vector<int64_t> numbers;
  std::string_view text = trimmed(node.text);
  if (node.is_sequence()) {
    for (const YamlNode& item : node.items) {
      numbers.push_back(number_of(item).value_or(-1));
    }
  } else if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const size_t comma = text.find(',');
      YamlNode part;
      part.kind = YamlNode::Kind::kScalar;
      part.text = trimmed(text.substr(0, comma));
      numbers.push_back(number_of(part).value_or(-1));
      text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
  }
  return numbers;
}

const Tensor* first_input(const Contract& contract) {
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.is_input) {
      return &tensor;
    }
  }
  return nullptr;
}

void read_cases(Reading& reading) {
  Contract& contract = reading.contract;
  const Tensor* input = first_input(contract);
  if (input == nullptr) {
    return;
  }
  for (const YamlNode& node : reading.root["correctness"]["case_matrix"].items) {
    Case entry;
    entry.name = node["case"].text;
    entry.stress = node["category"].text == "stress";
    const std::vector<int64_t> numbers = numbers_of(node["shape"]);
    bool fits = numbers.size() == input->shape.size() && !entry.name.empty();
    for (size_t i = 0; fits && i < numbers.size(); ++i) {
      fits = numbers[i] >= 0;
      if (input->shape[i].kind == Dimension::Kind::kSymbol) {
        entry.symbols[input->shape[i].symbol] = numbers[i];
      }
    }
    if (fits) {
      contract.cases.push_back(std::move(entry));
    } else {
      reading.diagnostics.add(kBadCase, node.span, node["shape"].text);
    }
  }
  if (contract.cases.empty()) {  // small, uneven, and a row of one
    for (const int64_t size : {7, 64, 129}) {
      Case entry;
      entry.name = fmt::format("size{}", size);
      for (const Dimension& dimension : input->shape) {
        if (dimension.kind == Dimension::Kind::kSymbol) {
          entry.symbols[dimension.symbol] = size;
        }
      }
      contract.cases.push_back(std::move(entry));
    }
  }
}

void refuse_what_is_not_supported(Reading& reading) {
  for (const Tensor& tensor : reading.contract.tensors) {
    if (tensor.optional) {
      reading.diagnostics.add(
          kNotYet, reading.place_of("interface"), "optional tensor " + tensor.name);
    }
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kEllipsis) {
        reading.diagnostics.add(
            kNotYet, reading.place_of("interface"), "'...' in the shape of " + tensor.name);
      }
    }
  }
}

void read_gates(Reading& reading) {
  for (const std::string_view name : {"correctness", "review"}) {
    const YamlNode& node = reading.root["status"][name];
    Gate gate;
    gate.name = name;
    gate.result = node.is_map() ? node["result"].text : node.text;
    gate.evidence = node["evidence"].text;
    gate.passed = gate.result == "passed" || (name == "review" && gate.result == "passed_interim");
    reading.contract.gates.push_back(std::move(gate));
  }
}

}  // namespace

void read_binding(Reading& reading) {
  const YamlNode& binding = reading.binding();
  Contract& contract = reading.contract;
  if (binding["block_dim"].exists()) {
    contract.block_dim = expression_of(binding["block_dim"], reading.diagnostics);
  } else {
    reading.diagnostics.add(kMissing,
                            reading.place_of("torch_binding"),
                            "torch_binding.block_dim, the number of blocks: e.g. block_dim: \"8\"");
  }
  if (binding["state"].exists()) {
    contract.state_bytes = expression_of(binding["state"], reading.diagnostics);
  }
  for (const auto& [key, value] : binding["max"].entries) {
    contract.maxima[key.text] = number_of(value).value_or(0);
  }
  read_pe_counts(reading);
  read_requirements(reading);
  read_tensor_lists(reading);
  read_golden(reading);
  read_cases(reading);
  read_gates(reading);
  refuse_what_is_not_supported(reading);
}

}  // namespace shmem_bind::contract
