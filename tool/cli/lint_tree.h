#pragma once

#include <string>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/result.h"
#include "tool/base/source_text.h"
#include "tool/lint/tree.h"

namespace shmem_bind::cli {

struct LintTree {
  lint::Tree facts;
  SourceTexts texts;
  int file_count = 0;
  std::vector<std::string> notes;  // what could not be looked at, a line each
};

// Reads a folder and what is below it. Left out: hidden folders, CMake's build folders, and what is
// reached only through a link.
Result<LintTree> read_lint_tree(const std::string& folder,
                                FileSystem& files,
                                ProcessRunner& runner);

}  // namespace shmem_bind::cli
