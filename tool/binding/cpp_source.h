#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What an editor has to know of C++ files it does not own. Not a parser: comments and literals are
// told apart from code, nothing more. Pure.

namespace shmem_bind::binding {

// The same bytes with comments and the insides of literals replaced by spaces; line breaks stay.
std::string code_only(std::string_view text);

// True when the text defines a class Manager, or registers one.
bool defines_manager(std::string_view text);

// Where declarations go in a header: the line of the #endif of the guard that encloses it, else the
// end.
size_t declarations_place(std::string_view header);

}  // namespace shmem_bind::binding
