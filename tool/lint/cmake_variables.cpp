#include "tool/lint/cmake_variables.h"

#include "tool/base/text.h"

namespace shmem_bind::lint {
namespace {

constexpr int kDepth = 8;  // a variable may be made of others; one made of itself ends here

}  // namespace

CMakeVariables::CMakeVariables(const binding::CMakeText& file) {
  for (const binding::CMakeCommand& command : file.commands) {
    const auto& given = command.arguments;
    const bool appends = command.name == "list" && given.size() > 2 &&
                         (given[0].value == "APPEND" || given[0].value == "PREPEND");
    const bool globs = command.name == "file" && given.size() > 2 &&
                       (given[0].value == "GLOB" || given[0].value == "GLOB_RECURSE");
    if (command.name == "set" && given.size() > 1) {
      for (size_t i = 1; i < given.size(); ++i) {
        values_[given[0].value].push_back(given[i].value);
      }
    } else if (appends || globs) {
      for (size_t i = 2; i < given.size(); ++i) {
        values_[given[1].value].push_back(given[i].value);
      }
    } else if (command.name == "project" && !given.empty()) {
      values_["PROJECT_NAME"] = {given[0].value};
    }
  }
}

std::vector<std::string> CMakeVariables::words(const std::string& argument) const {
  return expanded(argument, kDepth);
}

std::string CMakeVariables::text(const std::string& argument) const {
  return joined(words(argument), ";");
}

std::vector<std::string> CMakeVariables::expanded(const std::string& argument, int depth) const {
  const size_t begin = argument.find("${");
  const size_t end = begin == std::string::npos ? begin : argument.find('}', begin);
  if (end == std::string::npos || depth == 0) {
    return {argument};
  }
  const auto found = values_.find(argument.substr(begin + 2, end - begin - 2));
  if (found == values_.end()) {
    return {argument};
  }
  std::vector<std::string> words;
  for (const std::string& value : found->second) {
    const std::string whole = argument.substr(0, begin) + value + argument.substr(end + 1);
    for (std::string& word : expanded(whole, depth - 1)) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

}  // namespace shmem_bind::lint
