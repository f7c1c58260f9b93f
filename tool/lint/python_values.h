#pragma once

#include <set>
#include <string>
#include <vector>

#include "tool/lint/python_file.h"

// Where a value in a script comes from, as far as the file tells.

namespace shmem_bind::lint {

// Follows names through assignments, module constants, and parameters to what callers give.
class PythonValues {
 public:
  explicit PythonValues(const PythonFile& file) : file_(file) {}

  // Made of what is the same in every process: no loop variable, no parameter that a process is
  // started with, no rank, and no random number.
  bool is_the_same(const std::string& function,
                   const std::string& text,
                   const std::vector<std::string>& names) const;
  // The same, and a port stands in it or in what it is made of.
  bool has_fixed_port(const PythonValue& endpoint) const;
  // The text of a name's only value; else the text itself.
  std::string resolved(const std::string& text) const;

 private:
  struct Walk {
    std::set<std::string> seen;
    std::string texts;  // everything it is made of
  };
  bool follow(const std::string& function,
              const std::string& text,
              const std::vector<std::string>& names,
              Walk& walk) const;
  bool follow_name(const std::string& function, const std::string& name, Walk& walk) const;
  bool follow_parameter(const PythonFunction& function, size_t index, Walk& walk) const;

  const PythonFile& file_;
};

}  // namespace shmem_bind::lint
