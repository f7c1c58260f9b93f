#include <algorithm>
#include <set>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Allocation of a binding.

namespace shmem_bind::lint {
namespace {

bool allocates(const std::string& name) {
  return is_one_of(name,
                   {"aclshmem_malloc", "aclshmem_calloc", "aclshmem_align", "malloc", "calloc"});
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

// Which argument of the call is zeroed: of memset, or of a function of the file that ends in one.
size_t zeroed_argument(const CppFile& file, const CppCall& call) {
  constexpr size_t kNone = ~size_t{0};
  if (is_one_of(call.name, {"memset", "aclrtMemset", "aclrtMemsetAsync"})) {
    return call.arguments.empty() ? kNone : 0;
  }
  for (const CppFunction& function : file.functions) {
    if (function.name != call.name) {
      continue;
    }
    const auto names = parameter_names(file, function.parameters);
    for (const CppCall& inner : file.calls(function.body)) {
      const bool zeroes = is_one_of(inner.name, {"memset", "aclrtMemset", "aclrtMemsetAsync"});
      for (size_t i = 0; zeroes && !inner.arguments.empty() && i < names.size(); ++i) {
        if (file.mentions(inner.arguments[0], names[i]) && i < call.arguments.size()) {
          return i;
        }
      }
    }
  }
  return kNone;
}

// Members that a function of the class allocates; zeroed in another, it is as late.
std::set<std::string> allocated_members(const CppFile& file, const std::string& owner) {
  std::set<std::string> names;
  for (const CppFunction& function : file.functions) {
    for (const CppCall& call : file.calls(function.body)) {
      const bool allocates_it = call.name == "aclshmem_malloc" || call.name == "aclshmem_align";
      if (std::string name = receiver_of(file, call, function.body.begin);
          allocates_it && function.owner == owner && name.ends_with('_')) {
        names.insert(std::move(name));
      }
    }
  }
  return names;
}

void check_late_zero_in(const File<CppFile>& file,
                        const CppFunction& function,
                        Diagnostics& diagnostics) {
  std::set<std::string> allocated = function.owner.empty()
                                        ? std::set<std::string>{}
                                        : allocated_members(file.facts, function.owner);
  for (const CppCall& call : file.facts.calls(function.body)) {
    if (call.name == "aclshmem_malloc" || call.name == "aclshmem_align") {
      allocated.insert(receiver_of(file.facts, call, function.body.begin));
    }
    const size_t zeroed = zeroed_argument(file.facts, call);
    for (const std::string& name : allocated) {
      if (!name.empty() && zeroed < call.arguments.size() &&
          file.facts.mentions(call.arguments[zeroed], name)) {
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

}  // namespace shmem_bind::lint
