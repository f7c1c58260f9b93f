#pragma once

#include <string>
#include <string_view>
#include <vector>

// Pieces of the HTML report. What they return is escaped.

namespace shmem_bind::verify {

// How a state looks: a colour, and the same in a symbol and a word.
struct Look {
  std::string_view name;
  std::string_view css;
  std::string_view symbol;
  std::string_view word;
};
Look look_of(
    std::string_view name);  // of a verdict, a check, a job, a variant, a place of the matrix

std::string badge(std::string_view name);
std::string cell(std::string_view name);  // a table's

// Up to the first row; kTableEnd behind the last.
std::string table_head(const std::vector<std::string>& columns);
inline constexpr const char* kTableEnd = "</tbody></table></div>\n";

}  // namespace shmem_bind::verify
