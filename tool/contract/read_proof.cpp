#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

// Contract §3. The generated test computes the first; the others wait for their operators.
constexpr std::array<std::string_view, 1> kCollectives = {"all_gather"};
constexpr std::array<std::string_view, 7> kLaterCollectives = {
    "broadcast", "gather", "scatter", "all_to_all", "reduce_scatter", "all_reduce", "permute"};

template <class Names>
bool is_in(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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

void read_golden(Reading& reading) {
  const YamlNode& given = reading.binding()["golden"];
  const YamlNode& oracle = reading.root["correctness"]["oracle"];
  const bool deducible = is_in(kCollectives, oracle.text) || file_golden(oracle.text).has_value();
  const YamlNode& node = given.exists() || !deducible ? given : oracle;
  Golden golden;
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
  } else if (is_in(kCollectives, node.text)) {
    golden.collective = node.text;
    reading.contract.golden = std::move(golden);
  } else if (is_in(kLaterCollectives, node.text)) {
    reading.diagnostics.add(
        kNotYet,
        node.span,
        fmt::format("golden {}; a `python golden` block can say it", node.text));
  } else {
    reading.diagnostics.add(kUnknownGolden, node.span, node.text);
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

// Gives the first input's symbols their values; false when the shape does not fit.
bool bind_symbols(const Tensor& input, const std::vector<int64_t>& numbers, Case& test) {
  if (numbers.size() != input.shape.size()) {
    return false;
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Dimension& dimension = input.shape[i];
    if (numbers[i] < 0) {
      return false;
    }
    if (dimension.kind == Dimension::Kind::kSymbol &&
        test.symbols.emplace(dimension.symbol, numbers[i]).first->second != numbers[i]) {
      return false;
    }
  }
  return true;
}

void read_case(Reading& reading, const YamlNode& node, const Tensor& input) {
  Case test;
  test.name = node["case"].text;
  test.stress = node["category"].text == "stress";
  std::string problem;
  if (test.name.empty() || !bind_symbols(input, numbers_of(node["shape"]), test)) {
    problem = fmt::format("{} {}; {} has {} dimensions",
                          test.name,
                          node["shape"].text,
                          input.name,
                          input.shape.size());
  }
  for (const std::string& symbol : symbols_of(reading.contract)) {
    if (problem.empty() && !test.symbols.contains(symbol)) {
      problem = fmt::format(
          "{} gives {} no value: only the first input's shape is given", test.name, symbol);
    }
  }
  for (const Case& other : reading.contract.cases) {
    if (other.name == test.name) {
      problem = fmt::format("{} stands twice", test.name);
    }
  }
  if (problem.empty()) {
    reading.contract.cases.push_back(std::move(test));
  } else {
    reading.diagnostics.add(
        kBadCase, node["case"].exists() ? node["case"].span : node.span, problem);
  }
}

void read_cases(Reading& reading) {
  Contract& contract = reading.contract;
  const Tensor* input = first_input(contract);
  if (input == nullptr) {
    return;
  }
  const YamlNode& matrix = reading.root["correctness"]["case_matrix"];
  for (const YamlNode& node : matrix.items) {
    read_case(reading, node, *input);
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
  read_cases(reading);
  read_gates(reading);
}

}  // namespace shmem_bind::contract
