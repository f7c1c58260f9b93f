#include <algorithm>
#include <array>

#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// Which memory of a tensor goes to the kernel.

namespace shmem_bind::lint {
namespace {

constexpr std::array<std::string_view, 4> kMemory = {
    "data_ptr", "const_data_ptr", "mutable_data_ptr", "storage"};

bool takes_memory(const CppFile& file, size_t name) {
  return (file.is(name + 1, ".") || file.is(name + 1, "->")) &&
         std::find(kMemory.begin(), kMemory.end(), file.text(name + 2)) != kMemory.end();
}

// input.is_contiguous(), check_contiguous(input, …), input = input.contiguous()
bool is_known_contiguous(const CppFile& file,
                         const CppFunction& function,
                         const std::string& name) {
  for (const CppCall& call : file.calls(function.body)) {
    const bool by_name =
        call.name.find("contiguous") != std::string::npos && call.name != "contiguous";
    const bool of_it = call.name_at >= 2 && file.is(call.name_at - 2, name);
    if (by_name && (of_it || file.mentions({call.open, call.close}, name))) {
      return true;
    }
  }
  for (size_t at = function.body.begin; at + 4 < function.body.end; ++at) {
    if (file.is(at, name) && file.is(at + 1, "=") && file.is(at + 2, name) &&
        file.is(at + 4, "contiguous")) {
      return true;
    }
  }
  return false;
}

// Is the copy `name`, made in front of `from`, given to anyone?
bool is_copy_used(const CppFile& file, const std::string& name, size_t from, size_t end) {
  for (size_t at = from; at < end; ++at) {
    if (!file.is(at, name) || file.is(at - 1, ".") || file.is(at - 1, "->")) {
      continue;
    }
    const bool asks_only = file.is(at + 1, ".") || file.is(at + 1, "->");
    if (takes_memory(file, at) || !asks_only) {
      return true;
    }
  }
  return false;
}

// `x = t.contiguous()`, `Tensor x(t.contiguous())`: x; empty when the value has no name.
std::string copy_name(const CppFile& file, const CppCall& call) {
  const size_t begin = file.chain_begin(call.name_at);
  const bool is_named = begin >= 2 && (file.is(begin - 1, "=") || file.is(begin - 1, "("));
  const bool is_whole = file.is(call.close + 1, ";") || file.is(call.close + 1, ")");
  const bool is_type = begin >= 3 && file.is(begin - 1, "(") && !file.tokens[begin - 3].is_name;
  return is_named && is_whole && !is_type ? file.text(begin - 2) : "";
}

}  // namespace

void check_storage_base(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    const CppFile& facts = file.facts;
    for (const CppCall& call : facts.calls({0, facts.tokens.size()})) {
      const std::string& next = facts.text(call.close + 2);
      if (call.name == "storage" && call.arguments.empty() && facts.is(call.close + 1, ".") &&
          (next == "data" || next == "mutable_data" || next == "data_ptr")) {
        diagnostics.add(kStorageBase, token_span(file, call.name_at), facts.text(call.name_at - 2));
      }
    }
  }
}

namespace {

// Where the memory of the parameter itself is taken: output.data_ptr(), Memory memory(output).
std::vector<size_t> memory_of(const CppFile& file, CppRange body, const std::string& name) {
  std::vector<size_t> places;
  for (size_t at = body.begin; at < body.end; ++at) {
    if (!file.is(at, name) || file.is(at - 1, ".") || file.is(at - 1, "->")) {
      continue;
    }
    const bool is_argument = file.is(at - 1, "(") && file.is(at + 1, ")");
    const bool is_wrapped = is_argument && (file.is(at - 2, "Memory") || file.is(at - 3, "Memory"));
    if (is_wrapped || (takes_memory(file, at) && !file.is(at + 2, "storage"))) {
      places.push_back(at);
    }
  }
  return places;
}

}  // namespace

void check_contiguous(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorClass& op : operator_classes(tree)) {
    const CppFile& facts = op.file->facts;
    const CppFunction* compute = function_of(*op.file, op.item->name, "compute");
    if (compute == nullptr) {
      continue;
    }
    for (const std::string& name : tensor_names(facts, compute->parameters)) {
      if (is_known_contiguous(facts, *compute, name)) {
        continue;
      }
      for (const size_t at : memory_of(facts, compute->body, name)) {
        diagnostics.add(kNotContiguous, token_span(*op.file, at), name);
      }
    }
  }
}

void check_unused_copy(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppFunction& function : file.facts.functions) {
      for (const CppCall& call : file.facts.calls(function.body)) {
        if (call.name != "contiguous") {
          continue;
        }
        const std::string name = copy_name(file.facts, call);
        const bool is_dropped = file.facts.is_statement(call);
        if (is_dropped ||
            (!name.empty() && !is_copy_used(file.facts, name, call.close + 1, function.body.end))) {
          diagnostics.add(kUnusedCopy, token_span(file, call.name_at), name);
        }
      }
    }
  }
}

}  // namespace shmem_bind::lint
