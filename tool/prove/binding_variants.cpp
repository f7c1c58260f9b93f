#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/prove/variants.h"

namespace shmem_bind::prove {
namespace {

using contract::Contract;
using contract::Tensor;

const std::vector<Probe> kUsual = {Probe::kFirst, Probe::kCases, Probe::kOrders};
const std::vector<Probe> kOfState = {Probe::kFirst, Probe::kLives, Probe::kCases, Probe::kOrders};
constexpr const char* kLayouts = "offset views and strided tensors in every case";
constexpr const char* kSeeded = "calls without a barrier, with one PE late";

// How the kernel gets the memory of a tensor: "static_cast<uint8_t*>(input_memory.data())".
std::string pointer_of(const std::string& body, const std::string& name) {
  std::smatch found;
  const std::regex pattern("static_cast<[^<>]*\\*>\\(" + name + "_memory\\.data\\(\\)\\)");
  return std::regex_search(body, found, pattern) ? found.str() : name + "_memory.data()";
}

std::string copy_of(const std::string& body, const std::string& name) {
  std::smatch found;
  const std::regex pattern("const at::Tensor " + name + "_dense = [^;]*;");
  return std::regex_search(body, found, pattern) ? found.str()
                                                 : "const at::Tensor " + name + "_dense = ";
}

std::string copy_back_of(const std::string& name) {
  return fmt::format("    if (!{0}_dense.is_same({0})) {{\n      {0}.copy_({0}_dense);\n    }}\n",
                     name);
}

void add_memory(Maker& maker, const std::string& body, const std::string& name) {
  const std::string pointer = pointer_of(body, name);
  const std::string type = pointer.substr(0, pointer.find('(') + 1);
  const std::string copy = copy_of(body, name);
  maker.add(name + ": the begin of the storage, not of the tensor",
            {{"class",
              pointer,
              type + fmt::format("const_cast<void*>({}_dense.storage().data()))", name)}},
            kUsual,
            kLayouts);
  maker.add(name + ": not made contiguous",
            {{"class", copy, fmt::format("const at::Tensor {0}_dense = {0};", name)}},
            kUsual,
            kLayouts);
  maker.add(name + ": the contiguous copy is not what the kernel gets",
            {{"class",
              fmt::format("{0}_memory({0}_dense);", name),
              fmt::format("{0}_memory({0});", name)}},
            kUsual,
            kLayouts);
  maker.add(name + ": the tensor of the first call is used in every call",
            {{"class", copy, "static " + copy}},
            kUsual,
            "new data in every call");
  maker.add(name + ": the memory begins one byte late",
            {{"class", pointer, pointer + " + 1"}},
            kUsual,
            "comparing every byte");
}

void add_output(Maker& maker, const std::string& name) {
  const std::string back = copy_back_of(name);
  maker.add(name + ": not copied back", {{"class", back, ""}}, kUsual, kLayouts);
  maker.add(name + ": copied back before the launch",
            {{"class", back, ""},
             {"class", "    shmem_ops::launch(kName,", back + "    shmem_ops::launch(kName,"}},
            kUsual,
            kLayouts);
}

void add_swap(Maker& maker, const std::string& body, const Contract& contract) {
  std::vector<std::string> pointers;
  for (const Tensor& tensor : contract.tensors) {
    pointers.push_back(pointer_of(body, tensor.cpp_name));
  }
  if (pointers.size() >= 2) {
    const std::string place = "@@swapped@@";
    maker.add(contract.tensors[0].name + " and " + contract.tensors[1].name + ": swapped",
              {{"class", pointers[0], place},
               {"class", pointers[1], pointers[0]},
               {"class", place, pointers[1]}},
              kUsual,
              "outputs with poison in them");
  }
}

void add_epoch(Maker& maker) {
  const std::string advance = "    epoch_.advance();\n";
  const std::string next = "const int64_t epoch = epoch_.next();";
  maker.add("call number: frozen at 1", {{"class", advance, ""}}, kUsual, kSeeded);
  maker.add("call number: not passed, 0 instead",
            {{"class", next, "[[maybe_unused]] const int64_t epoch = 0;"}},
            kUsual,
            kSeeded);
  maker.add("call number: PE 1 counts twice",
            {{"class",
              advance,
              advance + "    if (aclshmem_my_pe() == 1) {\n      epoch_.advance();\n    }\n"}},
            kUsual,
            kSeeded);
  maker.add("call number: PE 0 does not count its second call",
            {{"class",
              advance,
              "    if (aclshmem_my_pe() != 0 || epoch != 2) {\n  epoch_.advance();\n    }\n"}},
            kUsual,
            kSeeded);
}

void add_dtypes(Maker& maker, const std::string& body) {
  const std::regex pattern(
      "case (at::k\\w+):\\n\\s+return run\\(std::type_identity<([^<>]+)>\\{\\}\\);");
  std::vector<std::smatch> cases;
  for (auto it = std::sregex_iterator(body.begin(), body.end(), pattern);
       it != std::sregex_iterator();
       ++it) {
    cases.push_back(*it);
  }
  if (cases.empty()) {
    return;
  }
  const std::string first = cases.front().str();
  const std::string last = cases.back().str();
  maker.add(cases.front()[1].str() + ": no branch", {{"class", first, ""}}, kUsual, "every dtype");
  maker.add(cases.back()[1].str() + ": refused",
            {
                {"class", "      case " + cases.back()[1].str() + ":\n        return true;", ""},
            },
            kUsual,
            "every dtype");
  for (const auto& item : cases) {  // of another size, else moving bytes does not show it
    const bool other = (item[2] == "int8_t" || item[2] == "uint8_t") !=
                       (cases.front()[2] == "int8_t" || cases.front()[2] == "uint8_t");
    if (other) {
      maker.add(cases.front()[1].str() + ": the branch of " + item[1].str(),
                {{"class",
                  first,
                  replaced(first, "<" + cases.front()[2].str() + ">", "<" + item[2].str() + ">")}},
                kUsual,
                "every dtype");
      maker.add(
          item[1].str() + ": the branch of " + cases.front()[1].str(),
          {{"class",
            item.str(),
            replaced(item.str(), "<" + item[2].str() + ">", "<" + cases.front()[2].str() + ">")}},
          kUsual,
          "every dtype");
      break;
    }
  }
}

void add_state(Maker& maker, const Contract& contract, const std::string& body) {
  if (!contract.state_bytes) {
    return;
  }
  std::smatch found;
  const std::regex pattern("    return ([^;]+);\\n  \\}\\n\\n  shmem_ops::OperatorState state_");
  if (std::regex_search(body, found, pattern)) {
    const std::string whole = found.str();
    const std::string size = "(" + found[1].str() + ")";
    const auto sized = [&](const std::string& other) {
      return std::vector<Edit>{{"class", whole, replaced(whole, found[1].str(), other)}};
    };
    maker.add("state: 64 bytes instead of what the contract says",
              sized("64"),
              kOfState,
              "a heap that notices writes beyond an allocation");
    maker.add("state: one eighth of its size",
              sized(size + " / 8"),
              kOfState,
              "a heap that notices writes beyond an allocation");
    maker.add("state: another size on every PE",
              sized(size + " + 4096 * aclshmem_my_pe()"),
              kOfState,
              "an allocation that compares sizes");
  }
  const std::string calloc = "aclshmem_calloc(1, static_cast<size_t>(bytes))";
  const std::string malloc = "aclshmem_malloc(static_cast<size_t>(bytes))";
  maker.add("state: not zeroed",
            {{"launch", calloc, malloc}},
            kOfState,
            "symmetric memory that is not zero by chance");
  maker.add("state: zeroed in front of every call",
            {{"class",
              "    epoch_.advance();\n",
              "    aclrtMemset(state, state_bytes(), 0, state_bytes());\n    epoch_.advance();\n"}},
            kOfState,
            kSeeded);
  maker.add("state: none reaches the kernel",
            {{"class",
              "uint8_t* const state = state_.data();",
              "state_.require_open();\n    uint8_t* const state = nullptr;"}},
            kOfState,
            "one call");
}

}  // namespace

std::vector<Variant> binding_variants(const Contract& contract,
                                      const Texts& texts,
                                      const std::vector<std::string>& provoked) {
  Maker maker("binding", texts);
  const std::string& body = texts.at("class");
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.is_input || tensor.is_output) {
      add_memory(maker, body, tensor.cpp_name);
    }
    if (tensor.is_output) {
      add_output(maker, tensor.cpp_name);
    }
  }
  add_swap(maker, body, contract);
  add_epoch(maker);
  add_dtypes(maker, body);
  add_state(maker, contract, body);
  add_call_variants(maker, body, provoked);
  return maker.take();
}

}  // namespace shmem_bind::prove
