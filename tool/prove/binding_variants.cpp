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

const std::vector<Probe> kUsual = {Probe::kSmall, Probe::kWide, Probe::kSeeds, Probe::kLarge};
const std::vector<Probe> kOfState = {Probe::kSmall, Probe::kGuard, Probe::kWide, Probe::kSeeds};
constexpr const char* kLayouts = "offset views and strided tensors in every case";
constexpr const char* kSeeded = "calls without a barrier, with one PE late";

const Tensor* first_tensor(const Contract& contract, bool output) {
  const auto found =
      std::find_if(contract.tensors.begin(), contract.tensors.end(), [&](const Tensor& tensor) {
        return output ? tensor.is_output : tensor.is_input && !tensor.is_output;
      });
  return found == contract.tensors.end() ? nullptr : &*found;
}

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

void add_launch(Maker& maker) {
  maker.add("stream: the default one, not the current one",
            {{"launch",
              "c10_npu::getCurrentNPUStream().stream(false)",
              "c10_npu::getDefaultNPUStream().stream(false)"}},
            {Probe::kStream},
            "a call on a stream that is not the default one");
  maker.add("stream: torch_npu's queue is overtaken",
            {{"launch",
              "  at_npu::native::OpCommand::RunOpApiV2(\n      name, [stream, work = "
              "std::move(work)]() -> int { return work(stream); });",
              "  static_cast<void>(name);\n  TORCH_CHECK(work(stream) == 0);"}},
            {Probe::kSmall, Probe::kWide, Probe::kSeeds, Probe::kStream},
            "torch operators beside the call");
  maker.add("launch: work refers to what the call had on its stack",
            {{"class",
              "shmem_ops::launch(kName, [=](void* stream)",
              "shmem_ops::launch(kName, [&](void* stream)"}},
            kUsual,
            "calls without synchronize between them");
  maker.add("launch: nothing is launched",
            {{"launch",
              "{ return work(stream); }",
              "{ static_cast<void>(work); static_cast<void>(stream); return 0; }"}},
            kUsual,
            "outputs with poison in them");
}

void add_life(Maker& maker) {
  maker.add(
      "Manager: PE and number of PEs exchanged",
      {{"manager", "shmem_ops::initialise(pe, n_ranks,", "shmem_ops::initialise(n_ranks, pe,"}},
      kUsual,
      "two PEs");
  maker.add("Manager: every PE says it is PE 0",
            {{"launch", "attributes.my_pe = static_cast<int>(pe);", "attributes.my_pe = 0;"}},
            kUsual,
            "two PEs");
  maker.add("Manager: states are freed behind SHMEM",
            {{"launch", "    close_block(*block);\n  }\n", "  }\n"},
             {"launch",
              "  const int code = aclshmem_finalize();\n",
              "  const int code = aclshmem_finalize();\n  for (const auto& block : states) {\n    "
              "close_block(*block);\n  }\n"},
             {"class", "void close() { state_.close(); }", "void close() {}"}},
            kUsual,
            "a SHMEM that refuses calls after its end");
  maker.add("close: the process ends in it",
            {{"class",
              "void close() { state_.close(); }",
              "void close() {\n    state_.close();\n    std::abort();\n  }"}},
            kUsual,
            "exit codes");
}

void add_numbers(Maker& maker, const std::string& body) {
  const std::regex pattern("shmem_ops::narrow<int64_t>\\([^;]*;");
  std::smatch found;
  if (!std::regex_search(body, found, pattern)) {
    return;
  }
  const std::string value = found.str().substr(0, found.str().size() - 1);
  const auto other = [&](const std::string& text) {
    return std::vector<Edit>{{"class", value + ";", text + ";"}};
  };
  maker.add("count: 8 bits of it",
            other("static_cast<int64_t>(static_cast<uint8_t>(" + value + "))"),
            kUsual,
            "a case with more than 255 elements");
  maker.add("count: 16 bits of it",
            other("static_cast<int64_t>(static_cast<uint16_t>(" + value + "))"),
            kUsual,
            "a case with more than 65535 elements");
  maker.add("count: one less", other(value + " - 1"), kUsual, "comparing every byte");
  maker.add("count: doubled", other(value + " * 2"), kUsual, "poison behind the outputs");
}

// Each check that is a statement of its own in compute().
void add_checks(Maker& maker, const std::string& body) {
  const std::regex pattern("    (shmem_ops::check_\\w+|TORCH_CHECK)\\((?:[^;\"]|\"[^\"]*\")*;\\n");
  const size_t begin = body.find("void compute(");
  const std::string compute = body.substr(begin, body.find("int64_t block_dim", begin) - begin);
  for (auto it = std::sregex_iterator(compute.begin(), compute.end(), pattern);
       it != std::sregex_iterator();
       ++it) {
    const std::string text = it->str();
    if (text.find("check_same_call") != std::string::npos ||
        text.find("bytes(") != std::string::npos || text.find("MiB") != std::string::npos) {
      continue;  // collective, and only when asked for; limits no test reaches
    }
    std::string title = replaced(text, "\n", " ");
    title = std::regex_replace(title, std::regex(" +"), " ");
    maker.add("check removed: " + title.substr(1, 90),
              {{"class", text, "    static_cast<void>(0);\n"}},
              {Probe::kRefusals},
              "a call with this mistake that must raise");
  }
  maker.add("check removed: a closed object is used",
            {{"launch",
              "uint8_t* OperatorState::data() const {\n  require_open();",
              "uint8_t* OperatorState::data() const {"}},
            {Probe::kRefusals},
            "a call after close() that must raise");
}

}  // namespace

std::vector<Variant> binding_variants(const Contract& contract, const Texts& texts) {
  Maker maker("binding", texts);
  const std::string& body = texts.at("class");
  for (const bool output : {false, true}) {
    if (const Tensor* tensor = first_tensor(contract, output)) {
      add_memory(maker, body, tensor->cpp_name);
    }
  }
  if (const Tensor* tensor = first_tensor(contract, true)) {
    add_output(maker, tensor->cpp_name);
  }
  add_swap(maker, body, contract);
  add_epoch(maker);
  add_dtypes(maker, body);
  add_state(maker, contract, body);
  add_launch(maker);
  add_life(maker);
  add_numbers(maker, body);
  add_checks(maker, body);
  return maker.take();
}

}  // namespace shmem_bind::prove
