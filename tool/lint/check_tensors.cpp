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
bool is_contiguous_in(const CppFile& file, const CppFunction& function, const std::string& name) {
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

namespace {

constexpr std::array<std::string_view, 5> kBase = {
    "data", "mutable_data", "data_ptr", "mutable_data_ptr", "const_data_ptr"};

// From the `.` behind a storage: .data(), .unsafeGetStorageImpl()->mutable_data()
bool leads_to_memory(const CppFile& file, size_t at) {
  while (file.is(at, ".") || file.is(at, "->")) {
    if (std::find(kBase.begin(), kBase.end(), file.text(at + 1)) != kBase.end()) {
      return true;
    }
    at = file.is(at + 2, "(") ? file.closing(at + 2) + 1 : at + 2;
  }
  return false;
}

// const c10::Storage& memory = input.storage(); … memory.data()
bool is_kept_and_taken(const CppFile& file, const CppCall& call) {
  const size_t begin = file.chain_begin(call.name_at);
  if (begin < 2 || !file.is(begin - 1, "=") || !file.is(call.close + 1, ";")) {
    return false;
  }
  const std::string& name = file.text(begin - 2);
  for (size_t at = call.close; at < file.tokens.size(); ++at) {
    if (file.is(at, name) && leads_to_memory(file, at + 1)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check_storage_base(const Tree& tree, Diagnostics& diagnostics) {
  for (const File<CppFile>& file : tree.cpp) {
    const CppFile& facts = file.facts;
    for (const CppCall& call : facts.calls({0, facts.tokens.size()})) {
      const bool is_storage = call.name == "storage" && call.arguments.empty();
      if (is_storage &&
          (leads_to_memory(facts, call.close + 1) || is_kept_and_taken(facts, call))) {
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

// const at::Tensor& dense = input; `dense` is input itself.
std::vector<std::string> with_other_names(const CppFile& file,
                                          CppRange body,
                                          std::vector<std::string> names) {
  for (size_t at = body.begin; at + 2 < body.end; ++at) {
    const bool is_same = file.is(at + 1, "=") && file.is(at + 3, ";") && file.tokens[at].is_name &&
                         std::find(names.begin(), names.end(), file.text(at + 2)) != names.end();
    if (is_same && (file.is(at - 1, "&") || file.is(at - 1, "Tensor") || file.is(at - 1, "auto"))) {
      names.push_back(file.text(at));
    }
  }
  return names;
}

// Does this function of the file take the memory of its parameter number `index` as it lies?
bool takes_memory_of(const CppFile& file, const std::string& name, size_t index) {
  for (const CppFunction& function : file.functions) {
    const auto names = parameter_names(file, function.parameters);
    if (function.name == name && index < names.size() &&
        !is_contiguous_in(file, function, names[index]) &&
        !memory_of(file, function.body, names[index]).empty()) {
      return true;
    }
  }
  return false;
}

// Calls of compute() that give the tensor itself to such a function.
std::vector<size_t> given_away(const CppFile& file, CppRange body, const std::string& name) {
  std::vector<size_t> places;
  for (const CppCall& call : file.calls(body)) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const CppRange argument = call.arguments[i];
      if (argument.end == argument.begin + 1 && file.is(argument.begin, name) &&
          takes_memory_of(file, call.name, i)) {
        places.push_back(argument.begin);
      }
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
    const auto parameters = tensor_names(facts, compute->parameters);
    for (const std::string& name : with_other_names(facts, compute->body, parameters)) {
      if (is_contiguous_in(facts, *compute, name)) {
        continue;
      }
      auto places = memory_of(facts, compute->body, name);
      const auto given = given_away(facts, compute->body, name);
      places.insert(places.end(), given.begin(), given.end());
      for (const size_t at : places) {
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
