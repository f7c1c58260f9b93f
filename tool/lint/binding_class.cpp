#include "tool/lint/binding_class.h"

#include <algorithm>

namespace shmem_bind::lint {
namespace {

std::vector<CppRange> split_parameters(const CppFile& file, CppRange parameters) {
  std::vector<CppRange> parts;
  size_t begin = parameters.begin;
  int depth = 0;
  for (size_t at = parameters.begin; at < parameters.end; ++at) {
    const std::string& text = file.text(at);
    depth += text == "<" || text == "(" ? 1 : text == ">" || text == ")" ? -1 : 0;
    if (text == "," && depth == 0) {
      parts.push_back({begin, at});
      begin = at + 1;
    }
  }
  if (begin < parameters.end) {
    parts.push_back({begin, parameters.end});
  }
  return parts;
}

// The last name in front of a default value.
std::string name_in(const CppFile& file, CppRange parameter) {
  std::string name;
  for (size_t at = parameter.begin; at < parameter.end && !file.is(at, "="); ++at) {
    if (file.tokens[at].is_name) {
      name = file.text(at);
    }
  }
  return name;
}

}  // namespace

Span token_span(const File<CppFile>& file, size_t token) {
  if (token >= file.facts.tokens.size()) {
    return file.span(0, 1);
  }
  return file.span(file.facts.tokens[token].begin, file.facts.tokens[token].end);
}

bool is_custom_class(const File<CppFile>& file, const CppClass& item) {
  return file.facts.mentions(item.bases, "CustomClassHolder");
}

bool is_registered(const File<CppFile>& file, const std::string& name) {
  const CppFile& facts = file.facts;
  for (const CppCall& call : facts.calls({0, facts.tokens.size()})) {
    const bool by_macro = call.name == "REGISTER_SHMEM_OPS_CLASS" && !call.arguments.empty() &&
                          facts.mentions(call.arguments[0], name);
    const bool by_hand = call.name == "class_" && facts.mentions({call.name_at, call.open}, name);
    if (by_macro || by_hand) {
      return true;
    }
  }
  return false;
}

const CppFunction* function_of(const File<CppFile>& file,
                               const std::string& owner,
                               const std::string& name) {
  for (const CppFunction& function : file.facts.functions) {
    if (function.owner == owner && function.name == name && !function.is_destructor) {
      return &function;
    }
  }
  return nullptr;
}

const CppFunction* function_around(const File<CppFile>& file, size_t token) {
  for (const CppFunction& function : file.facts.functions) {
    if (token >= function.body.begin && token < function.body.end) {
      return &function;
    }
  }
  return nullptr;
}

std::vector<OperatorClass> operator_classes(const Tree& tree) {
  std::vector<OperatorClass> found;
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppClass& item : file.facts.classes) {
      if (is_custom_class(file, item) && item.name != kManager) {
        found.push_back({&file, &item});
      }
    }
  }
  return found;
}

std::vector<std::string> parameter_names(const CppFile& file, CppRange parameters) {
  std::vector<std::string> names;
  for (const CppRange& parameter : split_parameters(file, parameters)) {
    names.push_back(name_in(file, parameter));
  }
  return names;
}

std::vector<std::string> tensor_names(const CppFile& file, CppRange parameters) {
  std::vector<std::string> names;
  for (const CppRange& parameter : split_parameters(file, parameters)) {
    if (file.mentions(parameter, "Tensor")) {
      names.push_back(name_in(file, parameter));
    }
  }
  return names;
}

}  // namespace shmem_bind::lint
