#include "tool/lint/binding_class.h"

#include <algorithm>

namespace shmem_bind::lint {
namespace {

constexpr const char* kSpace = "ShmemOps";

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

// using Holder = torch::jit::CustomClassHolder;
bool names_holder(const CppFile& file, const std::string& name) {
  for (size_t at = 0; at + 2 < file.tokens.size(); ++at) {
    if (file.is(at, "using") && file.is(at + 1, name) && file.is(at + 2, "=")) {
      size_t end = at;
      while (end < file.tokens.size() && !file.is(end, ";")) {
        ++end;
      }
      return file.mentions({at, end}, "CustomClassHolder");
    }
  }
  return false;
}

std::string without_quotes(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : "";
}

// Of the TORCH_LIBRARY whose block the token stands in.
std::string space_around(const CppFile& file, size_t token) {
  for (const CppCall& call : file.calls({0, token})) {
    const bool is_library = call.name == "TORCH_LIBRARY" || call.name == "TORCH_LIBRARY_FRAGMENT";
    if (is_library && !call.arguments.empty() && file.is(call.close + 1, "{") &&
        token < file.closing(call.close + 1)) {
      return file.text(call.arguments[0].begin);
    }
  }
  return kSpace;
}

// m.class_<T>("Name").def(…); torch::class_<T>("Space", "Name").def(…);
Registration registration_by_hand(const File<CppFile>& file, const CppCall& call) {
  const CppFile& facts = file.facts;
  std::string type;
  for (size_t at = call.name_at + 2; at + 1 < call.open; ++at) {
    type = facts.tokens[at].is_name ? facts.text(at) : type;
  }
  size_t end = call.close;
  while (end < facts.tokens.size() && !facts.is(end, ";")) {
    ++end;
  }
  const auto text = [&](size_t index) {
    return without_quotes(facts.text(call.arguments[index].begin));
  };
  const bool is_whole = call.arguments.size() > 1;
  return {&file,
          type,
          is_whole ? text(0) : space_around(facts, call.name_at),
          call.arguments.empty() ? "" : text(is_whole ? 1 : 0),
          {call.name_at, end}};
}

}  // namespace

Span token_span(const File<CppFile>& file, size_t token) {
  if (token >= file.facts.tokens.size()) {
    return file.span(0, 1);
  }
  return file.span(file.facts.tokens[token].begin, file.facts.tokens[token].end);
}

bool is_custom_class(const File<CppFile>& file, const CppClass& item) {
  const CppFile& facts = file.facts;
  if (facts.mentions(item.bases, "CustomClassHolder")) {
    return true;
  }
  for (size_t at = item.bases.begin; at < item.bases.end; ++at) {
    const std::string& base = facts.text(at);
    const bool is_custom_base =
        std::any_of(facts.classes.begin(), facts.classes.end(), [&](const CppClass& other) {
          return other.name == base && other.name != item.name && is_custom_class(file, other);
        });
    if (is_custom_base || names_holder(facts, base)) {
      return true;
    }
  }
  return false;
}

std::vector<Registration> registrations(const Tree& tree) {
  std::vector<Registration> found;
  for (const File<CppFile>& file : tree.cpp) {
    const CppFile& facts = file.facts;
    for (const CppCall& call : facts.calls({0, facts.tokens.size()})) {
      if (call.name == "REGISTER_SHMEM_OPS_CLASS" && !call.arguments.empty()) {
        const std::string type = facts.text(call.arguments[0].begin);
        found.push_back({&file, type, kSpace, type, {call.open, call.close}});
      } else if (call.name == "class_" && facts.is(call.name_at + 1, "<")) {
        found.push_back(registration_by_hand(file, call));
      }
    }
  }
  return found;
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

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string receiver_of(const CppFile& file, const CppCall& call, size_t body_begin) {
  const size_t begin = std::max(file.statement_begin(call.name_at), body_begin);
  for (size_t at = call.name_at; at > begin; --at) {
    if (file.is(at, "=")) {
      return file.text(at - 1);
    }
    const bool in_list = at > begin + 1 && file.is(at, "(") && file.tokens[at - 1].is_name &&
                         (file.is(at - 2, ":") || file.is(at - 2, ","));
    if (in_list) {
      return file.text(at - 1);
    }
  }
  return "";
}

}  // namespace shmem_bind::lint
