#pragma once

#include <string>
#include <string_view>

namespace shmem_bind::binding {

// The text as a string literal that C++ and Python both read as exactly these bytes.
std::string quoted(std::string_view text);

}  // namespace shmem_bind::binding
