#include "tool/verify/drift.h"

#include <fmt/format.h>

#include "tool/binding/plan_tree.h"

namespace shmem_bind::verify {

std::vector<std::string> drift_of(const contract::Contract& contract,
                                  const std::string& tree,
                                  FileSystem& files) {
  binding::Texts existing;
  for (const std::string& path : binding::paths_to_read(contract)) {
    if (auto text = files.read(tree + "/" + path); text.ok()) {
      existing[path] = std::move(text.value());
    }
  }
  std::vector<std::string> lines;
  const binding::TreePlan fresh = binding::plan_tree(contract, existing);
  for (const binding::TreeProblem& problem : fresh.problems) {
    lines.push_back(fmt::format("{}: {}", problem.path, problem.text));
  }
  for (const auto& [path, planned] : fresh.plan) {
    if (planned.action == binding::PlannedFile::Action::kCreate) {
      lines.push_back(path + " is missing; shmem-bind generate writes it");
    } else if (planned.action != binding::PlannedFile::Action::kUnchanged) {
      lines.push_back(path + " differs from what generate would write" +
                      (planned.reason.empty() ? "" : " (" + planned.reason + ")"));
    }
  }
  return lines;
}

}  // namespace shmem_bind::verify
