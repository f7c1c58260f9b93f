#pragma once

#include <string_view>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

// What a rule's one line leaves out. The example is a change of a good operator: explanation_test
// makes it and sees the rule appear, and without it not.
struct Explanation {
  const Rule* rule;
  std::string_view why;       // what goes wrong when nobody minds
  std::string_view file;      // where the lines stand
  std::string_view faulty;    // as few lines as show it
  std::string_view repaired;  // the same lines, in order
};

inline constexpr std::string_view kInDesign = "docs/design.md";
inline constexpr std::string_view kInHeader = "src/copy_rows_kernel.h";
inline constexpr std::string_view kInFolder = "the operator's folder";
inline constexpr std::string_view kInShell = "a shell";

// Null when nobody has explained it; a test sees to it that there is none.
const Explanation* explanation_of(const Rule& rule);

}  // namespace shmem_bind::contract
