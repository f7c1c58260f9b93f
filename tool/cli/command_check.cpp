#include <fmt/format.h>

#include "tool/cli/command.h"
#include "tool/contract/dtype.h"

namespace shmem_bind::cli {
namespace {

using contract::Argument;
using contract::Contract;

std::string role_of(const Argument& argument, const Contract& contract) {
  switch (argument.role) {
    case Argument::Role::kBlockDim:
      return "block_dim";
    case Argument::Role::kStream:
      return "stream";
    case Argument::Role::kFfts:
      return "ffts";
    case Argument::Role::kState:
      return "state";
    case Argument::Role::kTensor:
      return contract.tensors[static_cast<size_t>(argument.tensor)].name;
    case Argument::Role::kExpression:
      return argument.text;
  }
  return "";
}

std::string dtypes_of(const Contract& contract) {
  std::string text;
  for (const contract::Dtype dtype : contract.dispatch) {
    text += (text.empty() ? "" : ", ") + std::string(contract::row(dtype).dsl);
  }
  return text.empty() ? "fixed" : text;
}

void describe(const Contract& contract, Outcome& outcome) {
  outcome.text += fmt::format("{}: torch.classes.ShmemOps.{}, n_pes {}, dtypes {}\n",
                              contract.op_name,
                              contract.class_name,
                              contract.pe_counts.text(),
                              dtypes_of(contract));
  outcome.text += fmt::format("  {} receives\n", contract.entry.qualified_name);
  std::vector<std::string> arguments;
  for (const Argument& argument : contract.entry.arguments) {
    const std::string role = role_of(argument, contract);
    outcome.text +=
        fmt::format("    {:<12} {:<12} {}\n", argument.cpp_type, argument.parameter, role);
    arguments.push_back(JsonObject()
                            .add("parameter", argument.parameter)
                            .add("type", argument.cpp_type)
                            .add("receives", role)
                            .text());
  }
  std::vector<std::string> gates;
  for (const contract::Gate& gate : contract.gates) {
    outcome.text += fmt::format(
        "  {:<12} {}\n",
        gate.name,
        gate.passed ? gate.result + (gate.evidence.empty() ? "" : " (" + gate.evidence + ")")
                    : "no evidence: generate, build, verify and run will stop here");
    gates.push_back(JsonObject()
                        .add("name", gate.name)
                        .add("result", gate.result)
                        .add("passed", gate.passed)
                        .text());
  }
  outcome.json.add("operator", contract.op_name)
      .add("class", contract.class_name)
      .add("entry", contract.entry.qualified_name)
      .add_value("arguments", json_list(arguments))
      .add_value("gates", json_list(gates));
}

}  // namespace

Outcome command_check(Environment& environment) {
  Outcome outcome;
  const auto op = open_operator(environment.args.path, environment.files);
  if (!op.ok()) {
    fail(outcome, op.failure());
    return outcome;
  }
  report(op.value(), outcome);
  if (!op.value().is_valid) {
    outcome.exit_code = kExitContract;
    return outcome;
  }
  describe(op.value().contract, outcome);
  return outcome;
}

}  // namespace shmem_bind::cli
