#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Lays out the statements that depend on a contract as clang-format 16 does with this repository's
// .clang-format (Google, 100 columns, one argument a line); a test runs clang-format over the
// result. Pure text; every returned line ends with a newline.

namespace shmem_bind::binding {

inline constexpr size_t kColumns = 100;

// `head(argument, …)tail`. `head` is everything in front of the parenthesis, e.g. "TORCH_CHECK".
// An argument that is itself a parenthesised list may be broken once more.
std::string call(size_t indent,
                 std::string_view head,
                 const std::vector<std::string>& arguments,
                 std::string_view tail = ");");

// `head(item, …);` of items that may be parenthesised lists: those break only when nothing else
// helps.
std::string call_of_lists(std::string_view head, const std::vector<std::string>& items);

// A function's declaration or the head of its definition: `tail` is ");" or ") {".
std::string declaration(size_t indent,
                        std::string_view head,
                        const std::vector<std::string>& parameters,
                        std::string_view tail);

// One line that has no place to break: `name = value`, breaks behind the '=' when it is too long.
std::string assignment(size_t indent, std::string_view target, std::string_view value);

// The text, or, when a line is longer than the columns allow, the text between the comments that
// tell clang-format to leave it alone: a contract's expression may be as long as its author likes.
std::string guarded(size_t indent, const std::string& text);

}  // namespace shmem_bind::binding
