#include "tool/build/plan.h"

#include <fmt/format.h>

namespace shmem_bind::build {
namespace {

constexpr std::chrono::minutes kStepDeadline{15};

Step script_step(std::string name,
                 const std::string& script,
                 std::string product,
                 const Target& target) {
  Step step{std::move(name), std::move(product), in_environment(target, {"bash", script})};
  step.command.deadline = kStepDeadline;
  if (target.jobs > 0) {
    step.command.environment["JOBS"] = std::to_string(target.jobs);
  }
  return step;
}

}  // namespace

std::string kernel_library(const std::string& tree, const std::string& op_name) {
  return fmt::format("{}/custom-ops/{}/build/lib/lib{}_kernel.so", tree, op_name, op_name);
}

std::string binding_library(const std::string& tree) {
  return tree + "/custom-ops/torch_binding/build/lib/shmem_custom_ops_torch.so";
}

Plan plan_build(const std::string& tree, const contract::Contract& contract, const Target& target) {
  const std::string& op = contract.op_name;
  return {script_step(op + " kernel",
                      fmt::format("{}/custom-ops/{}/scripts/build_kernel.sh", tree, op),
                      kernel_library(tree, op),
                      target),
          script_step("torch binding",
                      tree + "/custom-ops/scripts/build_torch.sh",
                      binding_library(tree),
                      target)};
}

}  // namespace shmem_bind::build
