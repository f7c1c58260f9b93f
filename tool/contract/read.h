#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/base/source_text.h"
#include "tool/contract/check.h"
#include "tool/contract/contract.h"

namespace shmem_bind::contract {

// The files an operator is read from, as texts. Diagnostics point into `texts`.
struct Sources {
  SourceTexts texts;
  int design = -1;                    // docs/design.md
  int status = -1;                    // docs/status.yaml, -1: there is none
  std::vector<HeaderSource> headers;  // src/*.h; in-tree, else *.h
  std::string operator_folder;        // absolute; compared with meta.op_root. Empty: not compared
};

// The whole stage: texts to model, without I/O. Nothing when the diagnostics have errors.
std::optional<Contract> read_contract(const Sources& sources, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
