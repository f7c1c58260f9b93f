#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/binding/cmake_text.h"

// CMake's lists in the commands of a file. Pure.

namespace shmem_bind::binding {

// The list elements the argument adds where CMake expects a list: `a;b` unquoted is two, quoted
// one; an empty unquoted one is none.
std::vector<std::string> list_elements(const CMakeArgument& argument);

// Where a command sets or appends to the variable: set(NAME …), list(APPEND|PREPEND NAME …).
std::vector<size_t> writers_of(const CMakeText& text, std::string_view variable);

// True when an argument from `first` on adds that element.
bool names(const CMakeCommand& command, size_t first, const std::string& element);

// True when a command sets or appends the element to the variable.
bool fills(const CMakeText& text, std::string_view variable, const std::string& element);

}  // namespace shmem_bind::binding
