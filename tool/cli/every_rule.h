#pragma once

#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::cli {

// The rules of contracts and headers, then those of lint: the order of docs/rules.md.
std::vector<const Rule*> every_rule();

}  // namespace shmem_bind::cli
