#include "tool/binding/plan_tree.h"

#include <set>

#include "tool/binding/emit.h"
#include "tool/binding/in_tree.h"
#include "tool/binding/places.h"
#include "tool/binding/wrong_mode.h"

namespace shmem_bind::binding {

std::vector<std::string> paths_to_read(const contract::Contract& contract) {
  const Places places = places_of(contract);
  std::set<std::string> paths(places.own.begin(), places.own.end());
  paths.insert(places.shared.begin(), places.shared.end());
  paths.insert(places.foreign.begin(), places.foreign.end());
  const ModePaths mode = wrong_mode_paths(contract.build_mode, contract.op_name);
  paths.insert(mode.texts.begin(), mode.texts.end());
  if (contract.build_mode == contract::BuildMode::kInTreeExample) {
    paths.insert(places.binding + "/src/torch_bindings.cpp");  // it may hold a Manager
  }
  return {paths.begin(), paths.end()};
}

std::vector<std::string> paths_to_look_for(const contract::Contract& contract) {
  return wrong_mode_paths(contract.build_mode, contract.op_name).presences;
}

TreePlan plan_tree(const contract::Contract& contract, const Texts& existing) {
  TreePlan result;
  if (contract.build_mode == contract::BuildMode::kInTreeExample) {
    result = plan_in_tree(contract, existing);
  } else {
    result.plan = plan_write(emit(contract), contract.op_name, existing);
  }
  const auto wrong = wrong_mode_problems(contract.build_mode, contract.op_name, existing);
  result.problems.insert(result.problems.begin(), wrong.begin(), wrong.end());
  if (!result.problems.empty()) {
    result.plan.clear();
  }
  return result;
}

}  // namespace shmem_bind::binding
