#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The commands of a CMake file, with the bytes they stand at: what an editor needs that must not
// touch what it does not own. Variables are not expanded, nothing is evaluated. Pure.
// Grammar: cmake-language(7).

namespace shmem_bind::binding {

struct CMakeArgument {
  enum class Kind { kUnquoted, kQuoted, kBracket, kParenthesis };  // the last: "(" or ")" inside
  Kind kind = Kind::kUnquoted;
  std::string value;  // without quotes or brackets, escapes resolved; `\;` stays
  size_t begin = 0;   // with quotes and brackets
  size_t end = 0;
};

struct CMakeCommand {
  std::string name;  // in lower case: CMake does not tell them apart
  std::vector<CMakeArgument> arguments;
  size_t begin = 0;            // of the name
  size_t open = 0;             // of the '('
  size_t close = 0;            // of the ')'
  std::vector<size_t> blocks;  // the if, foreach, while, function, macro, block around it,
                               // outermost first: indices into the commands

  bool is(std::string_view command, std::string_view first_argument) const;
};

struct CMakeMistake {
  size_t at = 0;
  std::string text;  // what CMake would not accept
};

struct CMakeText {
  std::vector<CMakeCommand> commands;
  std::optional<CMakeMistake> mistake;  // then `commands` holds what stands in front of it
};

CMakeText parse_cmake(std::string_view text);

}  // namespace shmem_bind::binding
