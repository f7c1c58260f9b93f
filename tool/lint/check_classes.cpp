#include <algorithm>
#include <map>

#include "tool/base/text.h"
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

bool names_method(const CppFile& file, CppRange range, const std::string& name) {
  return file.mentions(range, name) || file.mentions(range, '"' + name + '"');
}

std::string missing_methods(const Tree& tree, const File<CppFile>& file, const CppClass& manager) {
  std::vector<std::string> missing;
  for (const char* name :
       {"attr_init", "finalize", "malloc_tensor", "malloc_like", "free_tensor"}) {
    bool is_there = file.facts.mentions(manager.body, name);
    for (const Registration& item : registrations(tree)) {
      if (item.type == kManager && library_of(item.file->path) == library_of(file.path)) {
        is_there = is_there && names_method(item.file->facts, item.methods, name);
      }
    }
    if (!is_there) {
      missing.emplace_back(name);
    }
  }
  return joined(missing, ", ");
}

bool is_registered(const Tree& tree, const File<CppFile>& file, const std::string& type) {
  const auto all = registrations(tree);
  return std::any_of(all.begin(), all.end(), [&](const Registration& item) {
    return item.type == type && library_of(item.file->path) == library_of(file.path);
  });
}

// Another class is derived from it: that one is registered.
bool is_a_base(const Tree& tree, const std::string& name) {
  return std::any_of(tree.cpp.begin(), tree.cpp.end(), [&](const File<CppFile>& file) {
    const auto& classes = file.facts.classes;
    return std::any_of(classes.begin(), classes.end(), [&](const CppClass& item) {
      return file.facts.mentions(item.bases, name);
    });
  });
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

// torch.classes.ShmemOps.<Class> is the name that the contract gives.
void check_names(const Tree& tree, Diagnostics& diagnostics) {
  const auto all = registrations(tree);
  for (const OperatorFacts& op : tree.operators) {
    const auto is_right = [&](const Registration& item) {
      return op.has_contract && item.space == "ShmemOps" && item.name == op.contract.class_name;
    };
    if (!op.has_contract || std::any_of(all.begin(), all.end(), is_right)) {
      continue;
    }
    for (const Registration& item : all) {
      const bool is_its_own = bound_operator(item.file->name()) == op.name ||
                              item.name == op.contract.class_name ||
                              item.type == op.contract.class_name;
      if (is_its_own && item.type != kManager) {
        diagnostics.add(
            kNoClass,
            token_span(*item.file, item.methods.begin),
            item.space + "." + item.name + " instead of ShmemOps." + op.contract.class_name);
      }
    }
  }
}

}  // namespace

void check_class(const Tree& tree, Diagnostics& diagnostics) {
  check_every_operator_is_bound(tree, diagnostics);
  check_names(tree, diagnostics);
  for (const OperatorClass& op : operator_classes(tree)) {
    if (!is_registered(tree, *op.file, op.item->name) && !is_a_base(tree, op.item->name)) {
      diagnostics.add(
          kNoClass, token_span(*op.file, op.item->name_at), op.item->name + " is not registered");
    }
  }
  for (const File<CppFile>& file : tree.cpp) {
    const auto& classes = file.facts.classes;
    const bool has_class = std::any_of(classes.begin(), classes.end(), [&](const CppClass& item) {
      return is_custom_class(file, item);
    });
    if (!bound_operator(file.name()).empty() && !has_class) {
      diagnostics.add(kNoClass, file.span(0, 1), "no class is derived from CustomClassHolder");
    }
  }
}

void check_manager(const Tree& tree, Diagnostics& diagnostics) {
  std::map<std::string, bool> has_manager;
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppClass& item : file.facts.classes) {
      if (item.name != kManager || !is_custom_class(file, item)) {
        continue;
      }
      has_manager[library_of(file.path)] = true;
      const Span span = token_span(file, item.name_at);
      if (!is_registered(tree, file, kManager)) {
        diagnostics.add(kNoManager, span, "it is not registered");
      } else if (const std::string missing = missing_methods(tree, file, item); !missing.empty()) {
        diagnostics.add(kNoManager, span, "without " + missing);
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

}  // namespace shmem_bind::lint
