#pragma once

#include <string>
#include <vector>

#include "tool/base/file_system.h"
#include "tool/contract/contract.h"

namespace shmem_bind::verify {

// How the tree differs from what generate would write: a line per file, its path first.
std::vector<std::string> drift_of(const contract::Contract& contract,
                                  const std::string& tree,
                                  FileSystem& files);

}  // namespace shmem_bind::verify
