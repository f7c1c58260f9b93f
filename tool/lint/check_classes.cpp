#include <algorithm>
#include <map>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

// The folder torch_binding the file belongs to, or the file's own: what becomes one library.
std::string library_of(const std::string& path) {
  constexpr std::string_view kFolder = "/torch_binding/";
  const size_t at = path.rfind(kFolder);
  return at == std::string::npos ? parent_folder(path) : path.substr(0, at + kFolder.size() - 1);
}

std::string missing_methods(const File<CppFile>& file, const CppClass& manager) {
  std::string missing;
  for (const char* name :
       {"attr_init", "finalize", "malloc_tensor", "malloc_like", "free_tensor"}) {
    bool is_there = file.facts.mentions(manager.body, name);
    for (const CppCall& call : file.facts.calls({0, file.facts.tokens.size()})) {
      if (call.name == "REGISTER_SHMEM_OPS_CLASS" && !call.arguments.empty() &&
          file.facts.mentions(call.arguments[0], kManager)) {
        is_there = is_there && file.facts.mentions({call.open, call.close}, name);
      }
    }
    missing += is_there ? "" : (missing.empty() ? "" : ", ") + std::string(name);
  }
  return missing;
}

// --- what compute() checks ---

bool is_check(const std::string& name) {
  return name.starts_with("TORCH_CHECK") || name.starts_with("check") ||
         name.starts_with("Check") || name.ends_with("_CHECK");
}

struct Checked {
  bool dtype = false;
  bool device = false;
  bool shape = false;
};

bool mentions_one(const CppFile& file, CppRange range, std::initializer_list<const char*> names) {
  return std::any_of(
      names.begin(), names.end(), [&](const char* name) { return file.mentions(range, name); });
}

void note_check(const CppFile& file, const CppCall& call, Checked& checked) {
  const bool is_function = !call.name.starts_with("TORCH_CHECK");
  const CppRange what =
      call.arguments.empty() || is_function ? CppRange{call.open, call.close} : call.arguments[0];
  checked.dtype |=
      mentions_one(file, what, {"scalar_type", "dtype", "is_supported", "ScalarType"}) ||
      (is_function && call.name.find("dtype") != std::string::npos);
  checked.device |=
      mentions_one(file, what, {"device", "is_privateuseone", "is_npu", "PrivateUse1"}) ||
      (is_function && call.name.find("device") != std::string::npos);
  checked.shape |= mentions_one(file, what, {"sizes", "dim", "size", "numel", "nbytes"}) ||
                   (is_function && call.name.find("shape") != std::string::npos);
}

// Follows functions of the same file, one step.
void collect_checks(const File<CppFile>& file, CppRange body, int depth, Checked& checked) {
  for (const CppCall& call : file.facts.calls(body)) {
    if (is_check(call.name)) {
      note_check(file.facts, call, checked);
    }
    for (const CppFunction& function : file.facts.functions) {
      if (depth > 0 && function.name == call.name) {
        collect_checks(file, function.body, depth - 1, checked);
      }
    }
  }
}

}  // namespace

namespace {

// A tree without any binding is an operator's folder, or not generated yet.
void check_every_operator_is_bound(const Tree& tree, Diagnostics& diagnostics) {
  const auto classes = operator_classes(tree);
  for (const OperatorFacts& op : tree.operators) {
    const bool has_file = std::any_of(tree.cpp.begin(), tree.cpp.end(), [&](const auto& file) {
      return bound_operator(file.name()) == op.name;
    });
    const bool has_class = std::any_of(classes.begin(), classes.end(), [&](const auto& item) {
      return item.item->name == op.contract.class_name;
    });
    if (!tree.cpp.empty() && op.has_contract && op.wants_torch && !has_file && !has_class) {
      diagnostics.add(kNoClass, {op.source, 0, 1}, "there is no torch_bind_" + op.name + ".cpp");
    }
  }
}

}  // namespace

void check_class(const Tree& tree, Diagnostics& diagnostics) {
  check_every_operator_is_bound(tree, diagnostics);
  for (const File<CppFile>& file : tree.cpp) {
    const std::string op = bound_operator(file.name());
    if (op.empty()) {
      continue;
    }
    bool has_class = false;
    for (const CppClass& item : file.facts.classes) {
      if (is_custom_class(file, item)) {
        has_class = true;
        if (!is_registered(file, item.name)) {
          diagnostics.add(
              kNoClass, token_span(file, item.name_at), item.name + " is not registered");
        }
      }
    }
    if (!has_class) {
      diagnostics.add(kNoClass, file.span(0, 1), "no class is derived from CustomClassHolder");
    }
  }
}

void check_manager(const Tree& tree, Diagnostics& diagnostics) {
  std::map<std::string, bool> has_manager;
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppClass& item : file.facts.classes) {
      if (item.name == kManager && is_custom_class(file, item)) {
        has_manager[library_of(file.path)] = true;
        if (const std::string missing = missing_methods(file, item); !missing.empty()) {
          diagnostics.add(kNoManager, token_span(file, item.name_at), "without " + missing);
        }
      }
    }
  }
  for (const OperatorClass& op : operator_classes(tree)) {
    bool& known = has_manager[library_of(op.file->path)];
    if (!known) {
      known = true;  // said once for a library
      diagnostics.add(kNoManager,
                      token_span(*op.file, op.item->name_at),
                      op.item->name + " needs it for the life of SHMEM");
    }
  }
}

void check_tensor_checks(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorClass& op : operator_classes(tree)) {
    const CppFunction* compute = function_of(*op.file, op.item->name, "compute");
    if (compute == nullptr || tensor_names(op.file->facts, compute->parameters).empty()) {
      continue;
    }
    Checked checked;
    collect_checks(*op.file, compute->body, 1, checked);
    std::vector<std::string> missing;
    for (const auto& [name, is_checked] : {std::pair{"dtype", checked.dtype},
                                           std::pair{"device", checked.device},
                                           std::pair{"shape", checked.shape}}) {
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
  const CppRange all{0, file.tokens.size()};
  const auto other = torch_names.find(bare);
  return file.mentions(all, bare) || file.mentions(all, "k" + bare) ||
         (other != torch_names.end() && file.mentions(all, other->second));
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
