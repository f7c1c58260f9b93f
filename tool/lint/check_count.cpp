#include <algorithm>
#include <set>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Does the number of the call, a member that compute() counts up, reach the kernel?

namespace shmem_bind::lint {
namespace {

using Names = std::set<std::string>;

bool mentions_any(const CppFile& file, CppRange range, const Names& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return file.mentions(range, name);
  });
}

std::vector<const CppFunction*> functions_of(const OperatorClass& op) {
  std::vector<const CppFunction*> found;
  for (const CppFunction& function : op.file->facts.functions) {
    if (function.owner == op.item->name) {
      found.push_back(&function);
    }
  }
  return found;
}

// count_++, ++count_, count_ += 1, count_ = count_ + 1, epoch_.advance()
Names counters_in(const CppFile& file, CppRange body) {
  Names names;
  for (size_t at = body.begin; at < body.end; ++at) {
    if (file.is(at, "++")) {
      names.insert(file.text(file.tokens[at - 1].is_name ? at - 1 : at + 1));
    } else if (file.is(at, "+=") || (file.is(at, "=") && file.text(at - 1) == file.text(at + 1) &&
                                     file.is(at + 2, "+"))) {
      names.insert(file.text(at - 1));
    } else if (file.is(at + 1, ".") &&
               (file.is(at + 2, "advance") || file.is(at + 2, "fetch_add"))) {
      names.insert(file.text(at));
    }
  }
  return names;
}

// Members only: what a loop counts does not number calls.
Names members_among(const Names& names, const OperatorClass& op) {
  const CppFile& file = op.file->facts;
  Names members;
  for (size_t at = op.item->body.begin; at < op.item->body.end; ++at) {
    const bool in_function = function_around(*op.file, at) != nullptr;
    if (!in_function && names.contains(file.text(at))) {
      members.insert(file.text(at));
    }
  }
  return members;
}

// Adds what is computed from the names, and the parameters that receive them.
void spread(const OperatorClass& op, const CppFunction& function, Names& names) {
  const CppFile& file = op.file->facts;
  for (size_t at = function.body.begin; at < function.body.end; ++at) {
    if (file.is(at, "=") && file.tokens[at - 1].is_name) {
      size_t end = at;
      while (end < function.body.end && !file.is(end, ";")) {
        ++end;
      }
      const bool is_work = file.mentions({at, end}, "[");  // a lambda is no value
      if (!is_work && mentions_any(file, {at, end}, names)) {
        names.insert(file.text(at - 1));
      }
    }
  }
  for (const CppCall& call : file.calls(function.body)) {
    const CppFunction* callee = function_of(*op.file, op.item->name, call.name);
    if (callee == nullptr) {
      continue;
    }
    const auto parameters = parameter_names(file, callee->parameters);
    for (size_t i = 0; i < call.arguments.size() && i < parameters.size(); ++i) {
      if (mentions_any(file, call.arguments[i], names)) {
        names.insert(parameters[i]);
      }
    }
  }
}

// A call of the namespace that declares kernels, or one that is given a stream and more.
bool is_kernel(const CppFile& file, const CppCall& call) {
  const CppRange chain{file.chain_begin(call.name_at), call.name_at};
  const bool gets_stream =
      std::any_of(call.arguments.begin(), call.arguments.end(), [&](CppRange argument) {
        for (size_t at = argument.begin; at < argument.end; ++at) {
          const std::string& text = file.text(at);
          if (text == "stream" || text == "acl_stream" || text == "getCurrentNPUStream") {
            return true;
          }
        }
        return false;
      });
  const bool is_named = call.name.ends_with("_kernel") || call.name.ends_with("_demo");
  return file.mentions(chain, "ShmemKernel") || (is_named && call.arguments.size() >= 3) ||
         (gets_stream && call.arguments.size() >= 4 && !call.name.starts_with("aclrt"));
}

bool wants_no_count(const OperatorClass& op, const Tree& tree) {
  for (const OperatorFacts& facts : tree.operators) {
    if (facts.has_contract && facts.contract.class_name == op.item->name) {
      const auto& arguments = facts.contract.entry.arguments;
      return std::none_of(arguments.begin(), arguments.end(), [](const auto& argument) {
        return argument.text.find("epoch") != std::string::npos;
      });
    }
  }
  return false;
}

}  // namespace

void check_count(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorClass& op : operator_classes(tree)) {
    if (wants_no_count(op, tree)) {
      continue;
    }
    const CppFile& file = op.file->facts;
    Names names;
    for (const CppFunction* function : functions_of(op)) {
      names.merge(counters_in(file, function->body));
    }
    names = members_among(names, op);
    for (int round = 0; round < 2; ++round) {  // a helper may stand in front of its caller
      for (const CppFunction* function : functions_of(op)) {
        spread(op, *function, names);
      }
    }
    for (const CppFunction* function : functions_of(op)) {
      for (const CppCall& call : file.calls(function->body)) {
        const bool is_own = function_of(*op.file, op.item->name, call.name) != nullptr;
        if (!is_own && is_kernel(file, call) &&
            !mentions_any(file, {call.open, call.close}, names)) {
          diagnostics.add(kNoCount, token_span(*op.file, call.name_at), call.name);
        }
      }
    }
  }
}

}  // namespace shmem_bind::lint
