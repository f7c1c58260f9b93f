#pragma once

#include <string>
#include <vector>

#include "tool/base/file_system.h"

namespace shmem_bind::cli {

// Every folder at or below `folder` that holds docs/design.md, sorted, named as `folder` is and
// continued. Left out: hidden folders, CMake's build folders, and what is reached only through a
// link.
std::vector<std::string> find_operators(const std::string& folder, FileSystem& files);

}  // namespace shmem_bind::cli
