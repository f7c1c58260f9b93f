#pragma once

#include <string>
#include <string_view>

namespace shmem_bind::binding {

// The text as a string literal that C++ and Python both read as exactly these bytes.
std::string string_literal(std::string_view text);

// A number or "true" or "false" as Python, and torch's schemas, spell it.
std::string python_literal(std::string_view value);

}  // namespace shmem_bind::binding
