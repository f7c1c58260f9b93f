#include "tool/build/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/file_system.h"
#include "tool/binding/places.h"

namespace shmem_bind::build {
namespace {

constexpr std::chrono::minutes kStepDeadline{15};

Step script_step(std::string name,
                 std::vector<std::string> words,
                 std::vector<std::string> products,
                 const Target& target) {
  words.insert(words.begin(), "bash");
  Step step{std::move(name), std::move(products), in_environment(target, std::move(words))};
  step.command.deadline = kStepDeadline;
  if (target.jobs > 0) {
    step.command.environment["JOBS"] = std::to_string(target.jobs);
  }
  return step;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// The tree's own script knows nothing of our names: it finds Python as `python3`, and libraries
// that need each other on the search path.
Step in_tree_step(const Plan& plan, const std::string& script, const Target& target) {
  Step step = script_step("build.sh -python_example",
                          {script, "-python_example"},
                          {plan.kernel_library, plan.binding_library},
                          target);
  if (target.python.find('/') != std::string::npos) {
    step.command.environment["PATH"] = folder_of(target.python) + ":" + environment("PATH");
  }
  return step;
}

}  // namespace

std::vector<std::string> build_scripts(const std::string& tree,
                                       const contract::Contract& contract) {
  if (contract.build_mode == contract::BuildMode::kInTreeExample) {
    return {tree + "/scripts/build.sh"};
  }
  return {fmt::format("{}/{}/scripts/build_kernel.sh", tree, binding::places_of(contract).op),
          tree + "/custom-ops/scripts/build_torch.sh"};
}

Plan plan_build(const std::string& tree, const contract::Contract& contract, const Target& target) {
  const binding::Places places = binding::places_of(contract);
  const std::vector<std::string> scripts = build_scripts(tree, contract);
  Plan plan;
  plan.kernel_library = fmt::format("{}/{}", tree, places.kernel_library);
  plan.binding_library = fmt::format("{}/{}", tree, places.binding_library);
  if (contract.build_mode == contract::BuildMode::kInTreeExample) {
    plan.load_stamp = fmt::format("{}/{}/loaded", tree, places.records);
    plan.steps = {in_tree_step(plan, scripts[0], target)};
  } else {
    plan.load_stamp = plan.binding_library + ".loaded";
    plan.steps = {
        script_step(contract.op_name + " kernel", {scripts[0]}, {plan.kernel_library}, target),
        script_step("torch binding", {scripts[1]}, {plan.binding_library}, target)};
  }
  return plan;
}

void keep_part(Plan& plan, Part part) {
  if (part == Part::kAll) {
    return;
  }
  const std::string& product = part == Part::kKernel ? plan.kernel_library : plan.binding_library;
  std::erase_if(plan.steps, [&](const Step& step) {
    return std::count(step.products.begin(), step.products.end(), product) == 0;
  });
  plan.with_load = part == Part::kBinding;
}

}  // namespace shmem_bind::build
