#include <algorithm>
#include <map>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

// What compute() checks, and the dtypes it knows.

namespace shmem_bind::lint {
namespace {

constexpr size_t kMostHelpers = 300;

bool is_check(const std::string& name) {
  return name.starts_with("TORCH_CHECK") || name.starts_with("check") ||
         name.starts_with("Check") || name.starts_with("CHECK") || name.ends_with("_CHECK");
}

struct Checked {
  bool dtype = false;
  bool device = false;
  bool shape = false;
  bool numel = false;  // another shape of the same size passes
};

bool mentions_one(const CppFile& file, CppRange range, std::initializer_list<const char*> names) {
  return std::any_of(
      names.begin(), names.end(), [&](const char* name) { return file.mentions(range, name); });
}

// a.device() == b.device(): two tensors of the CPU pass.
bool is_relative(const CppFile& file, CppRange range) {
  int devices = 0;
  for (size_t at = range.begin; at < range.end; ++at) {
    devices += file.is(at, "device") && file.is(at + 1, "(") ? 1 : 0;
  }
  return devices > 1;
}

void note(const CppFile& file, CppRange what, const std::string& helper, Checked& checked) {
  const auto is_named = [&](const char* word) { return helper.find(word) != std::string::npos; };
  const bool is_absolute =
      mentions_one(file, what, {"is_privateuseone", "is_npu", "PrivateUse1", "kPrivateUse1"});
  checked.dtype |=
      mentions_one(file, what, {"scalar_type", "dtype", "is_supported", "ScalarType"}) ||
      is_named("dtype");
  checked.device |=
      is_absolute || is_named("device") ||
      (mentions_one(file, what, {"device", "device_type"}) && !is_relative(file, what));
  checked.shape |= mentions_one(file, what, {"sizes", "dim", "size"}) || is_named("shape");
  checked.numel |= mentions_one(file, what, {"numel", "nbytes"});
}

// if (…) { throw …; }, if (…) TORCH_CHECK(false, …): the condition is what is checked.
void note_conditions(const CppFile& file, CppRange body, Checked& checked) {
  for (size_t at = body.begin; at + 1 < body.end; ++at) {
    if (!file.is(at, "if") || !file.is(at + 1, "(")) {
      continue;
    }
    const size_t close = file.closing(at + 1);
    size_t end = close + 1;
    if (file.is(end, "{")) {
      end = file.closing(end);
    } else {
      while (end < body.end && !file.is(end, ";")) {
        ++end;
      }
    }
    const CppRange then{close + 1, end};
    bool refuses = mentions_one(file, then, {"throw", "AT_ERROR"});
    for (const CppCall& call : file.calls(then)) {
      refuses |= call.name.starts_with("TORCH_CHECK") && file.is(call.open + 1, "false");
    }
    if (refuses) {
      note(file, {at + 1, close}, "", checked);
    }
  }
}

using Seen = std::set<std::pair<const File<CppFile>*, size_t>>;

// Follows functions of the tree's bindings.
void collect_checks(
    const Tree& tree, const File<CppFile>& file, CppRange body, Seen& seen, Checked& checked) {
  note_conditions(file.facts, body, checked);
  for (const CppCall& call : file.facts.calls(body)) {
    if (is_check(call.name)) {
      const bool is_function = !call.name.starts_with("TORCH_CHECK");
      const bool is_whole = call.arguments.empty() || is_function;
      note(file.facts,
           is_whole ? CppRange{call.open, call.close} : call.arguments[0],
           is_function ? call.name : "",
           checked);
    }
    for (const File<CppFile>& other : tree.cpp) {
      for (const CppFunction& function : other.facts.functions) {
        const bool is_near = &other == &file || function.owner.empty();
        if (is_near && function.name == call.name && seen.size() < kMostHelpers &&
            seen.emplace(&other, function.name_at).second) {
          collect_checks(tree, other, function.body, seen, checked);
        }
      }
    }
  }
}

}  // namespace

void check_tensor_checks(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorClass& op : operator_classes(tree)) {
    const CppFunction* compute = function_of(*op.file, op.item->name, "compute");
    if (compute == nullptr || tensor_names(op.file->facts, compute->parameters).empty()) {
      continue;
    }
    Checked checked;
    Seen seen = {{op.file, compute->name_at}};
    collect_checks(tree, *op.file, compute->body, seen, checked);
    std::vector<std::string> missing;
    for (const auto& [name, is_checked] :
         {std::pair{"dtype", checked.dtype},
          std::pair{"device", checked.device},
          std::pair{checked.numel ? "shape (numel() takes every shape of that size)" : "shape",
                    checked.shape}}) {
      if (!is_checked) {
        missing.emplace_back(name);
      }
    }
    if (!missing.empty()) {
      diagnostics.add(kUnchecked,
                      token_span(*op.file, compute->name_at),
                      op.item->name + ": " + joined(missing, ", "));
    }
  }
}

namespace {

// In a TORCH_CHECK, or in a function that only says whether it is supported: nothing is launched.
bool is_only_asked(const CppFile& file, size_t at) {
  for (const CppFunction& function : file.functions) {
    if (at >= function.body.begin && at < function.body.end) {
      const auto calls = file.calls(function.body);
      return file.is(function.name_at - 1, "bool") ||
             std::any_of(calls.begin(), calls.end(), [&](const CppCall& call) {
               return call.name.starts_with("TORCH_CHECK") && call.open < at && at < call.close;
             });
    }
  }
  return false;
}

// at::kHalf, torch::kFloat16, at::ScalarType::Half
bool names_dtype(const CppFile& file, contract::Dtype dtype) {
  const contract::DtypeRow& row = contract::row(dtype);
  std::string name(row.scalar_type);
  name = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  const std::string bare = name.starts_with('k') ? name.substr(1) : name;
  static const std::map<std::string, std::string> torch_names = {{"Char", "kInt8"},
                                                                 {"Byte", "kUInt8"},
                                                                 {"Short", "kInt16"},
                                                                 {"Int", "kInt32"},
                                                                 {"Long", "kInt64"},
                                                                 {"Half", "kFloat16"},
                                                                 {"Float", "kFloat32"},
                                                                 {"Double", "kFloat64"}};
  const auto other = torch_names.find(bare);
  for (size_t at = 0; at < file.tokens.size(); ++at) {
    const std::string& text = file.text(at);
    const bool is_it =
        text == bare || text == "k" + bare || (other != torch_names.end() && text == other->second);
    if (is_it && !is_only_asked(file, at)) {
      return true;
    }
  }
  return false;
}

bool uses_torch_dispatch(const CppFile& file) {
  return std::any_of(file.tokens.begin(), file.tokens.end(), [](const CppToken& token) {
    return token.text.starts_with("AT_DISPATCH");
  });
}

}  // namespace

void check_dispatch(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorFacts& facts : tree.operators) {
    for (const OperatorClass& op : operator_classes(tree)) {
      if (!facts.has_contract || op.item->name != facts.contract.class_name ||
          uses_torch_dispatch(op.file->facts)) {
        continue;
      }
      std::vector<std::string> missing;
      for (const contract::Dtype dtype : facts.contract.dispatch) {
        if (!names_dtype(op.file->facts, dtype)) {
          missing.emplace_back(contract::row(dtype).dsl);
        }
      }
      if (!missing.empty()) {
        const CppFunction* compute = function_of(*op.file, op.item->name, "compute");
        diagnostics.add(
            kDtypeMissing,
            token_span(*op.file, compute == nullptr ? op.item->name_at : compute->name_at),
            op.item->name + ": " + joined(missing, ", "));
      }
    }
  }
}

}  // namespace shmem_bind::lint
