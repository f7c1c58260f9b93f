#include <algorithm>
#include <array>
#include <set>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Allocation, streams, destructors and statuses of a binding.

namespace shmem_bind::lint {
namespace {

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool allocates(const std::string& name) {
  return is_one_of(name,
                   {"aclshmem_malloc", "aclshmem_calloc", "aclshmem_align", "malloc", "calloc"});
}

// The variable or member that receives the value of a call: `x = f()`, `x(f())` in a constructor's
// list. Empty: nobody, or a return.
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

// `x != nullptr`, `!x`, `if (x)`, TORCH_CHECK(x, …), behind the call.
bool is_compared(const CppFile& file, const std::string& name, CppRange behind) {
  for (size_t at = behind.begin; at < behind.end; ++at) {
    if (!file.is(at, name)) {
      continue;
    }
    if (file.is(at + 1, "==") || file.is(at + 1, "!=")) {
      return true;
    }
    const size_t begin = file.chain_begin(at);
    const std::string& front = file.text(begin - 1);
    const std::string& word = begin >= 2 ? file.text(begin - 2) : front;
    if (front == "!" || front == "==" || front == "!=" ||
        (front == "(" && (is_one_of(word, {"if", "assert"}) || word.starts_with("TORCH_")))) {
      return true;
    }
  }
  return false;
}

bool is_inside_check(const CppFile& file, const CppCall& inner, CppRange body) {
  const auto calls = file.calls(body);
  return std::any_of(calls.begin(), calls.end(), [&](const CppCall& call) {
    return call.open < inner.name_at && inner.name_at < call.close &&
           (call.name.find("CHECK") != std::string::npos ||
            call.name.find("REQUIRE") != std::string::npos);
  });
}

bool is_collective(const std::string& name) {
  const bool is_shmem = name.starts_with("aclshmem_") || name.starts_with("aclshmemx_");
  const std::string verb = is_shmem ? name.substr(name.find('_') + 1) : "";
  return is_shmem &&
         (verb.starts_with("barrier") || verb.starts_with("sync") || verb.starts_with("free") ||
          verb.starts_with("malloc") || verb.starts_with("calloc") || verb.starts_with("align") ||
          verb.starts_with("finalize") || verb.starts_with("init"));
}

// The collective call that `body` reaches through functions of its class and file; empty: none.
std::string collective_in(const File<CppFile>& file,
                          const std::string& owner,
                          CppRange body,
                          std::set<std::string>& seen) {
  for (const CppCall& call : file.facts.calls(body)) {
    if (is_collective(call.name)) {
      return call.name;
    }
    for (const CppFunction& function : file.facts.functions) {
      const bool is_own = function.owner == owner || function.owner.empty();
      const bool is_other_object = file.facts.is(call.name_at - 1, ".");
      if (is_own && !is_other_object && function.name == call.name && !function.is_destructor &&
          seen.insert(function.name).second) {
        if (std::string name = collective_in(file, owner, function.body, seen); !name.empty()) {
          return function.name + "() calls " + name;
        }
      }
    }
  }
  return "";
}

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

}  // namespace

void check_allocation(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      for (const CppCall& call : file.facts.calls(function.body)) {
        if (!allocates(call.name) || is_inside_check(file.facts, call, function.body)) {
          continue;
        }
        const std::string name = receiver_of(file.facts, call, function.body.begin);
        const bool at_once =
            file.facts.is(call.close + 2, "==") || file.facts.is(call.close + 2, "!=");
        if (!name.empty() && !at_once &&
            !is_compared(file.facts, name, {call.close, function.body.end})) {
          diagnostics.add(kUncheckedMemory, token_span(file, call.name_at), name);
        }
      }
    }
  }
}

namespace {

void check_late_zero_in(const File<CppFile>& file,
                        const CppFunction& function,
                        Diagnostics& diagnostics) {
  std::set<std::string> allocated;
  for (const CppCall& call : file.facts.calls(function.body)) {
    if (call.name == "aclshmem_malloc" || call.name == "aclshmem_align") {
      allocated.insert(receiver_of(file.facts, call, function.body.begin));
    }
    if (!is_one_of(call.name, {"memset", "aclrtMemset", "aclrtMemsetAsync"}) ||
        call.arguments.empty()) {
      continue;
    }
    for (const std::string& name : allocated) {
      if (!name.empty() && file.facts.mentions(call.arguments[0], name)) {
        diagnostics.add(kLateZero, token_span(file, call.name_at), name);
      }
    }
  }
}

}  // namespace

void check_late_zero(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      check_late_zero_in(file, function, diagnostics);
    }
  }
}

void check_stream(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      bool is_queued = false;
      for (const char* name : {"RunOpApi", "RunOpApiV2", "SetCustomHandler"}) {
        is_queued = is_queued || file.facts.mentions(function.body, name);
      }
      for (const CppCall& call : file.facts.calls(function.body)) {
        const bool skips_queue = call.name == "stream" && call.arguments.size() == 1 &&
                                 file.facts.is(call.open + 1, "false");
        if (skips_queue && !is_queued) {
          diagnostics.add(kOvertakes,
                          token_span(file, call.name_at),
                          "what is launched on it may overtake torch's operators");
        }
      }
    }
  }
}

void check_destructor(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      if (!function.is_destructor) {
        continue;
      }
      std::set<std::string> seen;
      if (const std::string name = collective_in(file, function.owner, function.body, seen);
          !name.empty()) {
        diagnostics.add(kCollectiveDestructor,
                        token_span(file, function.name_at),
                        "~" + function.name + "(): " + name);
      }
    }
  }
}

void check_status(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      for (const CppCall& call : file.facts.calls(function.body)) {
        if (has_status(call.name) && file.facts.is_statement(call)) {
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
