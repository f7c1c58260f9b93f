#include <algorithm>
#include <regex>

#include "tool/base/text.h"
#include "tool/prove/variants.h"

// Variants of how a call is launched, of the life of SHMEM, of numbers, and of every check.

namespace shmem_bind::prove {
namespace {

const std::vector<Probe> kOfCalls = {Probe::kFirst, Probe::kCases, Probe::kOrders};

void add_launch(Maker& maker) {
  maker.add("stream: the default one, not the current one",
            {{"launch",
              "c10_npu::getCurrentNPUStream().stream(false)",
              "c10_npu::getDefaultNPUStream().stream(false)"}},
            {Probe::kStreams},
            "a call on a stream that is not the default one");
  maker.add("stream: torch_npu's queue is overtaken",
            {{"launch",
              "  at_npu::native::OpCommand::RunOpApiV2(\n      name, [stream, work = "
              "std::move(work)]() -> int { return work(stream); });",
              "  static_cast<void>(name);\n  TORCH_CHECK(work(stream) == 0);"}},
            {Probe::kFirst, Probe::kStreams, Probe::kOrders},
            "torch operators beside the call");
  maker.add("launch: work refers to what the call had on its stack",
            {{"class",
              "shmem_ops::launch(kName, [=](void* stream)",
              "shmem_ops::launch(kName, [&](void* stream)"}},
            kOfCalls,
            "calls without synchronize between them");
  maker.add("launch: nothing is launched",
            {{"launch",
              "{ return work(stream); }",
              "{ static_cast<void>(work); static_cast<void>(stream); return 0; }"}},
            kOfCalls,
            "outputs with poison in them");
}

void add_life(Maker& maker) {
  maker.add(
      "Manager: PE and number of PEs exchanged",
      {{"manager", "shmem_ops::initialise(pe, n_ranks,", "shmem_ops::initialise(n_ranks, pe,"}},
      kOfCalls,
      "two PEs");
  maker.add("Manager: the PEs are numbered backwards",
            {{"launch",
              "attributes.my_pe = static_cast<int>(pe);",
              "attributes.my_pe = static_cast<int>(n_ranks - 1 - pe);"}},
            kOfCalls,
            "two PEs");
  maker.add("Manager: states are freed behind SHMEM",
            {{"launch", "    close_block(*block);\n  }\n", "  }\n"},
             {"launch",
              "  const int code = aclshmem_finalize();\n",
              "  const int code = aclshmem_finalize();\n  for (const auto& block : states) {\n    "
              "close_block(*block);\n  }\n"},
             {"class", "void close() { state_.close(); }", "void close() {}"}},
            kOfCalls,
            "a SHMEM that refuses calls after its end");
  maker.add("Manager: a process leaves with exit code 0 in its first call",
            {{"launch",
              "void launch(const char* name, std::function<int(void* stream)> work) {\n",
              "void launch(const char* name, std::function<int(void* stream)> work) {\n  "
              "std::_Exit(0);\n"}},
            kOfCalls,
            "results that every PE has to file");
  maker.add("close: the process ends in it",
            {{"class",
              "void close() { state_.close(); }",
              "void close() {\n    state_.close();\n    std::abort();\n  }"}},
            kOfCalls,
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
            kOfCalls,
            "a case with more than 255 elements");
  maker.add("count: 16 bits of it",
            other("static_cast<int64_t>(static_cast<uint16_t>(" + value + "))"),
            kOfCalls,
            "a case with more than 65535 elements");
  maker.add("count: one less", other(value + " - 1"), kOfCalls, "comparing every byte");
  maker.add("count: doubled", other(value + " * 2"), kOfCalls, "poison behind the outputs");
}

std::string title_of(const std::string& statement) {
  return "check removed: " +
         std::regex_replace(replaced(statement, "\n", " "), std::regex(" +"), " ").substr(1, 90);
}

// The requirement that a check is about: "… the contract requires bytes(input) <= 512 MiB"."
std::string requirement_in(const std::string& statement) {
  constexpr std::string_view kSays = "the contract requires ";
  const size_t at = statement.find(kSays);
  return at == std::string::npos
             ? ""
             : statement.substr(at + kSays.size(), statement.find('"', at) - at - kSays.size());
}

// Each check that is a statement of its own in compute().
void add_checks(Maker& maker, const std::string& body, const std::vector<std::string>& provoked) {
  const std::regex pattern(
      "(    (?:  )?)(shmem_ops::check_\\w+|TORCH_CHECK)\\((?:[^;\"]|\"[^\"]*\")*;\\n");
  const size_t begin = body.find("void compute(");
  const std::string compute = body.substr(begin, body.find("int64_t block_dim", begin) - begin);
  for (auto it = std::sregex_iterator(compute.begin(), compute.end(), pattern);
       it != std::sregex_iterator();
       ++it) {
    const std::string text = it->str();
    const std::string needed = requirement_in(text);
    if (text.find("check_same_call") != std::string::npos) {
      maker.leave_out(title_of(text), "collective, and only with SHMEM_BIND_CHECK=1");
    } else if (!needed.empty() &&
               std::find(provoked.begin(), provoked.end(), needed) == provoked.end()) {
      maker.leave_out(title_of(text), "no call of a test's size breaks it alone");
    } else {
      maker.add(title_of(text),
                {{"class", text, "    static_cast<void>(0);\n"}},
                {Probe::kWrongCalls},
                "a call with this mistake that must raise");
    }
  }
  maker.add("check removed: a closed object is used",
            {{"launch",
              "uint8_t* OperatorState::data() const {\n  require_open();",
              "uint8_t* OperatorState::data() const {"}},
            {Probe::kWrongCalls},
            "a call after close() that must raise");
}

}  // namespace

void add_call_variants(Maker& maker,
                       const std::string& body,
                       const std::vector<std::string>& provoked) {
  add_launch(maker);
  add_life(maker);
  add_numbers(maker, body);
  add_checks(maker, body, provoked);
}

}  // namespace shmem_bind::prove
