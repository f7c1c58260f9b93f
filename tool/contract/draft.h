#pragma once

#include <string>
#include <vector>

#include "tool/contract/contract.h"
#include "tool/contract/kernel_header.h"

// A docs/design.md to fill in. What the kernel header proves is written down; what its names only
// suggest stands as a question, which `check` refuses (C011) until a person has answered it.

namespace shmem_bind::contract {

struct Draft {
  std::string text;
  int questions = 0;                 // places that wait for an answer
  std::vector<std::string> remarks;  // what the header does not show, one line each
};

// `header` may be null: then everything is asked for. Pure.
Draft draft_contract(const std::string& op_name, BuildMode mode, const KernelHeader* header);

}  // namespace shmem_bind::contract
