#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"
#include "tool/lint/tree.h"

// `// shmem-bind: allow(L012): reason`, behind `#` in Python, CMake and shell, in `<!-- … -->` in
// Markdown: what its line and the next one are found to do is meant.

namespace shmem_bind::lint {

// In the order of the text. Whether the words stand in a comment is not looked at here.
std::vector<Allowance> read_allowances(const std::string& text, int source);

// Takes out what is allowed, and adds each allowance that allows nothing. `allowed`: how many were
// taken out.
std::vector<Diagnostic> without_allowed(const Tree& tree,
                                        std::vector<Diagnostic> found,
                                        size_t& allowed);

}  // namespace shmem_bind::lint
