#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/collective.h"
#include "tool/contract/errors.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

// "path.py:function", inside the operator's folder.
std::optional<Golden> file_golden(const std::string& text) {
  const size_t colon = text.rfind(".py:");
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  Golden golden;
  golden.kind = Golden::Kind::kFile;
  golden.file = text.substr(0, colon + 3);
  golden.function = text.substr(colon + 4);
  const bool inside = !golden.file.starts_with("/") && !golden.file.starts_with("../") &&
                      golden.file.find("/../") == std::string::npos &&
                      golden.file.find_first_of(" \t\\") == std::string::npos;
  return inside && is_identifier(golden.function) ? std::optional(golden) : std::nullopt;
}

std::optional<Golden> document_golden(Reading& reading, Span place) {
  Golden golden;
  golden.kind = Golden::Kind::kDocument;
  golden.function = "golden";
  std::vector<const FencedBlock*> found;
  for (const FencedBlock& block : reading.document.blocks) {
    if (block.info == "python golden") {
      found.push_back(&block);
      golden.python = block.text;
    }
  }
  if (found.size() == 1 && golden.python.find("def golden(") != std::string::npos) {
    return golden;
  }
  Diagnostic& item = reading.diagnostics.add(
      kUnknownGolden,
      place,
      found.size() == 1
          ? "the block `python golden` does not define golden(pe, n_pes, inputs, attrs)"
          : fmt::format("{} fenced blocks with info string `python golden`; one is needed",
                        found.size()));
  for (const FencedBlock* block : found) {
    item.related.emplace_back(block->span, "here");
  }
  return std::nullopt;
}

void take_collective(Reading& reading, const YamlNode& node, const Collective& collective) {
  const std::string problem = misfit(reading.contract, collective);
  if (!problem.empty()) {
    if (!reading.diagnostics.has_errors()) {  // else a refused tensor might have fitted
      reading.diagnostics.add(kGoldenMisfit, node.span, problem);
    }
    return;
  }
  Golden golden;
  golden.collective = collective.name;
  golden.span = node.span;
  reading.contract.golden = std::move(golden);
}

void read_golden(Reading& reading) {
  const YamlNode& given = reading.binding()["golden"];
  const YamlNode& oracle = reading.root["correctness"]["oracle"];
  const bool deducible =
      collective_named(oracle.text) != nullptr || file_golden(oracle.text).has_value();
  const YamlNode& node = given.exists() || !deducible ? given : oracle;
  if (!node.is_scalar()) {
    reading.diagnostics.add(
        kNoGolden,
        reading.place_of("torch_binding"),
        oracle.is_scalar() ? fmt::format("correctness.oracle says \"{}\"", oracle.text) : "");
  } else if (node.text == "document") {
    reading.contract.golden = document_golden(reading, node.span);
  } else if (auto file = file_golden(node.text)) {
    reading.contract.golden = std::move(file);
    reading.contract.golden->span = node.span;
  } else if (const Collective* collective = collective_named(node.text)) {
    take_collective(reading, node, *collective);
  } else {
    reading.diagnostics.add(kUnknownGolden, node.span, node.text);
  }
}

// A number above 0, as YAML writes it.
std::optional<double> positive_number(const YamlNode& node) {
  const std::string_view text = trimmed(node.text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

// Says what it cannot keep: the test would be less strict than the contract and nobody knew.
void read_tolerance(Reading& reading) {
  const YamlNode& node = reading.root["correctness"]["tolerance"];
  if (!node.exists() || !golden_adds(reading.contract)) {
    return;  // what is not added is compared bit by bit
  }
  const auto rtol = positive_number(node["rtol"]);
  const auto atol = positive_number(node["atol"]);
  if (rtol && atol) {
    reading.contract.tolerance = std::min(*rtol, *atol);
  } else {
    reading.diagnostics.add(kLooseTolerance,
                            node.span,
                            fmt::format("{} is no number above 0",
                                        rtol   ? "atol"
                                        : atol ? "rtol"
                                               : "rtol, as atol,"));
  }
}

// The whole numbers of "[64, 32]" or a list; a -1 stands for what is none.
std::vector<int64_t> numbers_of(const YamlNode& node) {
  std::vector<int64_t> numbers;
  for (const YamlNode& item : node.items) {
    numbers.push_back(number_of(item).value_or(-1));
  }
  std::string_view text = trimmed(node.text);
  if (text.size() > 2 && (text.front() == '[' || text.front() == '(')) {
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const size_t comma = text.find(',');
      numbers.push_back(whole_number(trimmed(text.substr(0, comma))).value_or(-1));
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

std::set<std::string> symbols_of(const Contract& contract) {
  std::set<std::string> symbols;
  for (const Tensor& tensor : contract.tensors) {
    for (const Dimension& dimension : tensor.shape) {
      if (dimension.kind == Dimension::Kind::kSymbol) {
        symbols.insert(dimension.symbol);
      }
    }
  }
  return symbols;
}

// Gives an input's symbols their values; what is wrong, or nothing.
std::string bind_symbols(const Tensor& input, const YamlNode& shape, Case& test) {
  const std::vector<int64_t> numbers = numbers_of(shape);
  bool fits = numbers.size() == input.shape.size();
  for (size_t i = 0; fits && i < numbers.size(); ++i) {
    const Dimension& dimension = input.shape[i];
    fits = numbers[i] >= 0;
    if (fits && dimension.kind == Dimension::Kind::kSymbol) {
      fits = test.symbols.emplace(dimension.symbol, numbers[i]).first->second == numbers[i];
    }
  }
  return fits ? ""
              : fmt::format("{} {}; {} has {} dimensions",
                            test.name,
                            shape.text,
                            input.name,
                            input.shape.size());
}

// The first input's shape, or a map from input to shape.
std::string bind_shapes(const Contract& contract, const YamlNode& shapes, Case& test) {
  if (!shapes.is_map()) {
    const Tensor* first = first_input(contract);
    return first == nullptr ? "" : bind_symbols(*first, shapes, test);
  }
  for (const auto& [key, shape] : shapes.entries) {
    const auto input = std::find_if(
        contract.tensors.begin(), contract.tensors.end(), [&name = key.text](const Tensor& t) {
          return t.is_input && t.name == name;
        });
    if (input == contract.tensors.end()) {
      return fmt::format("{}: {} is no input", test.name, key.text);
    }
    if (std::string problem = bind_symbols(*input, shape, test); !problem.empty()) {
      return problem;
    }
  }
  return "";
}

// Every attribute's value: the case's own, else the default.
std::string bind_attributes(const Contract& contract, const YamlNode& values, Case& test) {
  if (values.exists() && !values.is_map()) {
    return fmt::format("{}: attrs is a map", test.name);
  }
  std::set<std::string> names;
  for (const Attribute& attribute : contract.attributes) {
    const YamlNode& own = values[attribute.name];
    if (!own.exists() && attribute.default_text.empty()) {
      return fmt::format("{} gives {} no value: it has no default", test.name, attribute.name);
    }
    if (own.exists() && !is_literal_of(attribute.type, own.text)) {
      return fmt::format("{}: {} cannot be {}", test.name, attribute.name, own.text);
    }
    test.attributes[attribute.name] = own.exists() ? own.text : attribute.default_text;
    names.insert(attribute.name);
  }
  for (const auto& [key, value] : values.entries) {
    if (!names.contains(key.text)) {
      return fmt::format("{}: {} is no attribute", test.name, key.text);
    }
  }
  return "";
}

// What is wrong with a case, or nothing.
std::string fill_case(const Contract& contract, const YamlNode& node, Case& test) {
  const auto& others = contract.cases;
  if (test.name.empty()) {
    return "it has no name";
  }
  if (std::any_of(
          others.begin(), others.end(), [&](const Case& c) { return c.name == test.name; })) {
    return fmt::format("{} stands twice", test.name);
  }
  std::string problem = bind_shapes(contract, node["shape"], test);
  if (problem.empty()) {
    problem = bind_attributes(contract, node["attrs"], test);
  }
  for (const std::string& symbol : symbols_of(contract)) {
    if (problem.empty() && !test.symbols.contains(symbol)) {
      problem = fmt::format("{} gives {} no value", test.name, symbol);
    }
  }
  return problem;
}

void read_case(Reading& reading, const YamlNode& node) {
  Case test;
  test.name = node["case"].text;
  test.stress = node["category"].text == "stress";
  const std::string problem = fill_case(reading.contract, node, test);
  if (problem.empty()) {
    reading.contract.cases.push_back(std::move(test));
  } else {
    reading.diagnostics.add(
        kBadCase, node["case"].exists() ? node["case"].span : node.span, problem);
  }
}

void read_cases(Reading& reading) {
  Contract& contract = reading.contract;
  if (first_input(contract) == nullptr) {
    return;
  }
  const YamlNode& matrix = reading.root["correctness"]["case_matrix"];
  for (const YamlNode& node : matrix.items) {
    read_case(reading, node);
  }
  if (!matrix.items.empty()) {
    return;
  }
  for (const int64_t size : {7, 64, 129}) {  // none declared: small, even, uneven
    Case test;
    test.name = fmt::format("size{}", size);
    test.declared = false;
    for (const std::string& symbol : symbols_of(contract)) {
      test.symbols[symbol] = size;
    }
    if (const std::string problem = bind_attributes(contract, matrix["attrs"], test);
        !problem.empty()) {
      reading.diagnostics.add(kBadCase, reading.place_of("interface"), problem);
      return;
    }
    contract.cases.push_back(std::move(test));
  }
}

// Evidence that the kernel was evaluated and reviewed (contract §6).
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

void read_proof(Reading& reading) {
  read_golden(reading);
  read_tolerance(reading);
  read_cases(reading);
  read_gates(reading);
}

}  // namespace shmem_bind::contract
