#include "tool/lint/python_values.h"

#include <algorithm>
#include <regex>

namespace shmem_bind::lint {
namespace {

constexpr size_t kLongestText = 2000;  // std::regex recurses

bool finds(const std::string& text, const std::regex& pattern) {
  return text.size() <= kLongestText && std::regex_search(text, pattern);
}

// A rank, or what differs from process to process and from run to run.
bool varies(const std::string& text) {
  static const std::regex own(
      R"(rank|RANK|\bpe\b|my_pe|getpid|urandom|uuid|random\.rand|secrets|\btime\b|free|getsockname)");
  return finds(text, own);
}

}  // namespace

bool PythonValues::is_the_same(const std::string& function,
                               const std::string& text,
                               const std::vector<std::string>& names) const {
  Walk walk;
  return follow(function, text, names, walk);
}

bool PythonValues::has_fixed_port(const PythonValue& endpoint) const {
  static const std::regex port(R"(\b[1-9][0-9]{3,4}\b)");
  Walk walk;
  return follow(endpoint.function, endpoint.text, endpoint.names, walk) && finds(walk.texts, port);
}

std::string PythonValues::resolved(const std::string& text) const {
  const PythonValue* only = nullptr;
  for (const PythonValue& value : file_.values) {
    if (value.name == text) {
      if (only != nullptr || !value.is_known) {
        return text;
      }
      only = &value;
    }
  }
  return only == nullptr ? text : only->text;
}

bool PythonValues::follow(const std::string& function,
                          const std::string& text,
                          const std::vector<std::string>& names,
                          Walk& walk) const {
  walk.texts += text + " ";
  return !varies(text) && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return follow_name(function, name, walk);
  });
}

bool PythonValues::follow_name(const std::string& function,
                               const std::string& name,
                               Walk& walk) const {
  if (!walk.seen.insert(function + "." + name).second) {
    return true;
  }
  const PythonFunction* around = file_.function(function);
  for (size_t i = 0; around != nullptr && i < around->parameters.size(); ++i) {
    if (around->parameters[i].name == name) {
      return follow_parameter(*around, i, walk);
    }
  }
  for (const std::string& scope : {function, std::string()}) {
    bool is_set = false;
    for (const PythonValue& value : file_.values) {
      if (value.name == name && value.function == scope) {
        is_set = true;
        if (!value.is_known || !follow(scope, value.text, value.names, walk)) {
          return false;
        }
      }
    }
    if (is_set) {
      return true;
    }
  }
  return true;  // a function, a module, a builtin
}

bool PythonValues::follow_parameter(const PythonFunction& function,
                                    size_t index,
                                    Walk& walk) const {
  const PythonValue& parameter = function.parameters[index];
  bool is_called = false;
  for (const PythonCall& call : file_.calls) {
    if (call.name != function.name) {
      continue;
    }
    is_called = true;
    const PythonArgument* given = call.argument(parameter.name);
    if (given == nullptr && index < call.arguments.size() &&
        call.arguments[index].keyword.empty()) {
      given = &call.arguments[index];
    }
    const bool same = given == nullptr
                          ? parameter.is_known && follow("", parameter.text, parameter.names, walk)
                          : follow(call.function, given->text, given->names, walk);
    if (!same) {
      return false;
    }
  }
  return is_called;  // else a process begins with it
}

}  // namespace shmem_bind::lint
