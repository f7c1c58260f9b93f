#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/binding/cmake_text.h"

namespace shmem_bind::lint {

// What the variables of one CMake file hold, every set() and list(APPEND) of it together: no
// condition is decided. What another file sets stays as it is written.
class CMakeVariables {
 public:
  explicit CMakeVariables(const binding::CMakeText& file);

  // The words that an argument gives.
  std::vector<std::string> words(const std::string& argument) const;
  // The same as one text, for names.
  std::string text(const std::string& argument) const;

 private:
  std::vector<std::string> expanded(const std::string& argument, int depth) const;

  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace shmem_bind::lint
