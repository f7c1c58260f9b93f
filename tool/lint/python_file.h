#pragma once

#include <string>
#include <vector>

#include "tool/base/result.h"

// What Python's own ast says of a file. The program that asks it runs in the user's Python and
// prints JSON; this reads it.

namespace shmem_bind::lint {

struct PythonPlace {
  size_t begin = 0;  // bytes of the source
  size_t end = 0;
};

struct PythonArgument {
  std::string keyword;             // empty: by position
  std::string text;                // as Python writes it
  std::vector<std::string> names;  // the variables in it
};

struct PythonCall {
  std::string name;      // the last word: manual_seed
  std::string function;  // the def it stands in, or __main__; empty: none
  bool is_statement = false;
  PythonPlace place;
  std::vector<PythonArgument> arguments;

  const PythonArgument* argument(std::string_view keyword) const;
};

struct PythonFunction {
  std::string name;
  PythonPlace place;
  std::vector<std::string> used;  // names that are not its own: globals, functions, modules
};

struct PythonName {
  std::string text;
  std::string function;
  PythonPlace place;
};

struct PythonFile {
  std::string mistake;  // of the syntax; then the rest is empty
  PythonPlace mistake_at;
  std::vector<PythonCall> calls;
  std::vector<PythonFunction> functions;
  std::vector<PythonName> set_in_module;
  std::vector<PythonName> set_under_main;
  std::vector<PythonName> strings;     // no docstrings
  std::vector<PythonName> numbers;     // whole ones
  std::vector<PythonName> attributes;  // x.NAME, NAME, import NAME
  std::vector<std::string> imports;    // modules, as they are named

  const PythonFunction* function(std::string_view name) const;
  bool has_attribute(std::string_view name) const;
};

// For `python -c PROGRAM file…`.
const char* python_program();
// Its output, one file for each it was given, in their order.
Result<std::vector<PythonFile>> read_python_facts(const std::string& output);

}  // namespace shmem_bind::lint
