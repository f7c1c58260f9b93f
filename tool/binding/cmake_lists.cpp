#include "tool/binding/cmake_lists.h"

#include <algorithm>

namespace shmem_bind::binding {

std::vector<std::string> list_elements(const CMakeArgument& argument) {
  if (argument.kind != CMakeArgument::Kind::kUnquoted) {
    return {argument.value};
  }
  std::vector<std::string> elements;
  std::string element;
  size_t brackets = 0;
  const auto finish = [&] {
    if (!element.empty()) {
      elements.push_back(std::move(element));
    }
    element.clear();
  };
  for (size_t i = 0; i < argument.value.size(); ++i) {
    const char c = argument.value[i];
    if (c == '\\' && i + 1 < argument.value.size() && argument.value[i + 1] == ';') {
      element += ';';
      ++i;
    } else if (c == ';' && brackets == 0) {
      finish();
    } else {
      brackets += c == '[' ? 1 : 0;
      brackets -= c == ']' && brackets > 0 ? 1 : 0;
      element += c;
    }
  }
  finish();
  return elements;
}

std::vector<size_t> writers_of(const CMakeText& text, std::string_view variable) {
  std::vector<size_t> found;
  for (size_t i = 0; i < text.commands.size(); ++i) {
    const CMakeCommand& command = text.commands[i];
    const auto& arguments = command.arguments;
    const bool sets = command.is("set", variable);
    const bool appends = (command.is("list", "APPEND") || command.is("list", "PREPEND")) &&
                         arguments.size() > 1 && arguments[1].value == variable;
    if (sets || appends) {
      found.push_back(i);
    }
  }
  return found;
}

bool names(const CMakeCommand& command, size_t first, const std::string& element) {
  for (size_t i = first; i < command.arguments.size(); ++i) {
    const auto elements = list_elements(command.arguments[i]);
    if (std::find(elements.begin(), elements.end(), element) != elements.end()) {
      return true;
    }
  }
  return false;
}

bool fills(const CMakeText& text, std::string_view variable, const std::string& element) {
  const auto writers = writers_of(text, variable);
  return std::any_of(writers.begin(), writers.end(), [&](size_t index) {
    return names(text.commands[index], 1, element);
  });
}

}  // namespace shmem_bind::binding
