#include "tool/cli/every_rule.h"

#include "tool/contract/rules.h"
#include "tool/lint/rules.h"

namespace shmem_bind::cli {

std::vector<const Rule*> every_rule() {
  const auto contract = contract::all_rules();
  std::vector<const Rule*> rules(contract.begin(), contract.end());
  for (const lint::LintRule& rule : lint::all_rules()) {
    rules.push_back(rule.rule);
  }
  return rules;
}

}  // namespace shmem_bind::cli
