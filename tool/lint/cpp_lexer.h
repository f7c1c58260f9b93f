#pragma once

#include <string>

#include "tool/lint/cpp_file.h"

namespace shmem_bind::lint {

// Fills tokens and includes of `file`.
void read_tokens(const std::string& text, CppFile& file);

}  // namespace shmem_bind::lint
