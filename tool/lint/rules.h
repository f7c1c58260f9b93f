#pragma once

#include <span>
#include <string_view>

#include "tool/base/diagnostic.h"
#include "tool/lint/tree.h"

namespace shmem_bind::lint {

struct LintRule {
  const Rule* rule;
  void (*check)(const Tree& tree, Diagnostics& diagnostics);  // null: it looks at the findings
  std::string_view why;                                       // what goes wrong when nobody minds
};

// Every rule of errors.h, in its order.
std::span<const LintRule> all_rules();

// What all rules find and no comment allows, in the order of the files. `allowed`: how many
// findings comments took out.
Diagnostics check(const Tree& tree, size_t* allowed = nullptr);

}  // namespace shmem_bind::lint
