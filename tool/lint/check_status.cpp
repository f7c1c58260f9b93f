#include <algorithm>
#include <set>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Statuses that nobody looks at.

namespace shmem_bind::lint {
namespace {

bool has_status(const std::string& name) {
  if (is_one_of(name, {"aclInit", "aclshmem_finalize"}) || name.starts_with("aclshmemx_init") ||
      name.starts_with("aclshmem_init") || name.starts_with("aclshmemx_set_conf")) {
    return name.find("init_status") == std::string::npos;
  }
  const bool is_runtime = name.starts_with("aclrt");
  const bool cleans_up = name.find("Free") != std::string::npos ||
                         name.find("Destroy") != std::string::npos ||
                         name.find("Reset") != std::string::npos;
  return is_runtime && !cleans_up;
}

// Whether Manager.attr_init raises by itself, or through functions of the tree.
bool attr_init_raises(const Tree& tree) {
  std::set<std::string> called;
  for (const File<CppFile>& file : tree.cpp) {
    if (const CppFunction* function = function_of(file, kManager, "attr_init")) {
      for (const CppCall& call : file.facts.calls(function->body)) {
        called.insert(call.name);
      }
    }
  }
  const auto raises = [&](const CppFunction& function, const File<CppFile>& file) {
    return called.contains(function.name) && file.facts.mentions(function.body, "TORCH_CHECK");
  };
  return called.contains("TORCH_CHECK") ||
         std::any_of(tree.cpp.begin(), tree.cpp.end(), [&](const File<CppFile>& file) {
           const auto& functions = file.facts.functions;
           return std::any_of(functions.begin(), functions.end(), [&](const CppFunction& function) {
             return raises(function, file);
           });
         });
}

// status = f(); status = g();   const int status = f(); and no word of it behind
bool is_lost(const CppFile& file, const CppCall& call, CppRange body) {
  const std::string name = receiver_of(file, call, body.begin);
  if (name.empty() || !file.is(call.close + 1, ";")) {
    return false;
  }
  for (size_t at = call.close; at < body.end; ++at) {
    if (file.is(at, "}")) {
      return false;  // another path may look at it
    }
    if (file.is(at, name)) {
      return file.is(at + 1, "=") && (file.is(at - 1, ";") || file.is(at - 1, "{"));
    }
  }
  return !name.ends_with('_');
}

}  // namespace

void check_status(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      for (const CppCall& call : file.facts.calls(function.body)) {
        if (has_status(call.name) &&
            (file.facts.is_statement(call) || is_lost(file.facts, call, function.body))) {
          diagnostics.add(kIgnoredStatus, token_span(file, call.name_at), call.name);
        }
      }
    }
  }
  const bool raises = attr_init_raises(tree);
  for (const File<PythonFile>& file : tree.python) {
    for (const PythonCall& call : file.facts.calls) {
      if (call.name == "attr_init" && call.is_dropped && !raises) {
        diagnostics.add(kIgnoredStatus, file.span(call.place.begin, call.place.end), call.name);
      }
    }
  }
}

}  // namespace shmem_bind::lint
