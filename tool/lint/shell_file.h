#pragma once

#include <string>
#include <vector>

// A shell script as words: comments are left out, quotes are resolved, nothing is expanded.

namespace shmem_bind::lint {

struct ShellWord {
  std::string text;  // without its quotes
  size_t begin = 0;  // bytes of the source, with them
  size_t end = 0;
};

struct ShellFile {
  std::vector<ShellWord> words;
};

ShellFile read_shell(const std::string& text);

}  // namespace shmem_bind::lint
