#include <algorithm>
#include <map>
#include <set>

#include "tool/base/text.h"
#include "tool/lint/binding_class.h"
#include "tool/lint/checks.h"
#include "tool/lint/cmake_variables.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

using binding::CMakeArgument;
using binding::CMakeCommand;
using CMakeFile = File<binding::CMakeText>;

// A library of a binding: made in a torch_binding folder, or of a torch_bind_ source.
struct Library {
  const CMakeFile* file;
  const CMakeCommand* command;
  std::string target;
  std::string product;
};

bool is_in_torch_binding(const CMakeFile& file) {
  return folder_name(file.path) == "torch_binding";
}

bool has_binding_source(const CMakeFile& file, const CMakeCommand& command) {
  const CMakeVariables variables(file.facts);
  return std::any_of(command.arguments.begin(), command.arguments.end(), [&](const auto& argument) {
    return variables.text(argument.value).find("torch_bind") != std::string::npos;
  });
}

bool is_library_command(const CMakeCommand& command) {
  const auto is_word = [&](const char* word) {
    return std::any_of(command.arguments.begin(),
                       command.arguments.end(),
                       [&](const auto& argument) { return argument.value == word; });
  };
  return command.name == "add_library" && command.arguments.size() >= 2 && !is_word("IMPORTED") &&
         !is_word("INTERFACE") && !is_word("ALIAS");
}

// lib<target>.so, as PREFIX, OUTPUT_NAME and SUFFIX change it.
std::string product_of(const CMakeFile& file, const std::string& target) {
  const CMakeVariables variables(file.facts);
  std::map<std::string, std::string> parts = {{"PREFIX", "lib"}, {"SUFFIX", ".so"}};
  for (const CMakeCommand& command : file.facts.commands) {
    const auto& given = command.arguments;
    if (command.is("set", "CMAKE_SHARED_LIBRARY_PREFIX")) {
      parts["PREFIX"] = given.size() > 1 ? given[1].value : "";
    }
    if (command.name != "set_target_properties" && command.name != "set_property") {
      continue;
    }
    const bool is_of_target = std::any_of(given.begin(), given.end(), [&](const auto& argument) {
      return variables.text(argument.value) == target;
    });
    for (size_t i = 0; is_of_target && i + 1 < given.size(); ++i) {
      if (is_one_of(given[i].value, {"PREFIX", "OUTPUT_NAME", "LIBRARY_OUTPUT_NAME", "SUFFIX"})) {
        parts[given[i].value] = variables.text(given[i + 1].value);
      }
    }
  }
  std::string name = target;
  for (const char* key : {"OUTPUT_NAME", "LIBRARY_OUTPUT_NAME"}) {  // the second wins
    const auto found = parts.find(key);
    name = found == parts.end() ? name : found->second;
  }
  return parts["PREFIX"] + name + parts["SUFFIX"];
}

std::vector<Library> libraries_in(const Tree& tree) {
  std::vector<Library> found;
  for (const CMakeFile& file : tree.cmake) {
    for (const CMakeCommand& command : file.facts.commands) {
      if (is_library_command(command) &&
          (is_in_torch_binding(file) || has_binding_source(file, command))) {
        const std::string target = CMakeVariables(file.facts).text(command.arguments[0].value);
        found.push_back({&file, &command, target, product_of(file, target)});
      }
    }
  }
  return found;
}

// Everything the target links, in this file.
std::vector<std::string> links_of(const Library& library) {
  const CMakeVariables variables(library.file->facts);
  std::vector<std::string> links;
  for (const CMakeCommand& command : library.file->facts.commands) {
    const bool is_of_target = command.name == "target_link_libraries" &&
                              !command.arguments.empty() &&
                              variables.text(command.arguments[0].value) == library.target;
    if (!is_of_target && command.name != "link_libraries") {
      continue;
    }
    for (const CMakeArgument& argument : command.arguments) {
      for (const std::string& word : variables.words(argument.value)) {
        links.push_back(word.starts_with("-l") ? word.substr(2) : word);
      }
    }
  }
  return links;
}

bool links_one(const std::vector<std::string>& links, std::initializer_list<const char*> words) {
  return std::any_of(links.begin(), links.end(), [&](const std::string& link) {
    const std::string file = link.substr(link.rfind('/') + 1);
    return std::any_of(words.begin(), words.end(), [&](const char* word) {
      const std::string name(word);
      return link == name || file == "lib" + name + ".so" || link == "${" + name + "}" ||
             link == name + "::" + name;
    });
  });
}

bool links_kernel(const std::vector<std::string>& links) {
  return std::any_of(links.begin(), links.end(), [](const std::string& link) {
    return link.find("kernel") != std::string::npos || link.find("KERNEL") != std::string::npos;
  });
}

Span command_span(const CMakeFile& file, const CMakeCommand& command) {
  return file.span(command.begin, command.open);
}

}  // namespace

void check_links(const Tree& tree, Diagnostics& diagnostics) {
  for (const Library& library : libraries_in(tree)) {
    const auto links = links_of(library);
    std::vector<std::string> missing;
    if (!links_kernel(links)) {
      missing.emplace_back("the kernel's library");
    }
    if (!links_one(links, {"torch", "TORCH_LIBRARIES", "torch_cpu", "TORCH_LIBRARY"})) {
      missing.emplace_back("torch");
    }
    if (!links_one(links, {"torch_npu", "TORCH_NPU_LIBRARIES", "TORCH_NPU_LIBRARY"})) {
      missing.emplace_back("torch_npu");
    }
    if (!links_one(links, {"shmem", "SHMEM_LIBRARIES", "SHMEM_LIBRARY"})) {
      missing.emplace_back("shmem");
    }
    if (!missing.empty()) {
      diagnostics.add(kNotLinked,
                      command_span(*library.file, *library.command),
                      library.target + ": " + joined(missing, ", "));
    }
  }
}

namespace {

constexpr const char* kInTree = "aclshmem_torch.so";
constexpr const char* kCustomOps = "shmem_custom_ops_torch.so";

// A script loads the library of the other kind, and nowhere its own.
void check_loaded_product(const File<PythonFile>& script, Diagnostics& diagnostics) {
  const bool in_custom_ops = script.path.find("/custom-ops/") != std::string::npos;
  if (!in_custom_ops && script.path.find("/examples/") == std::string::npos) {
    return;
  }
  const std::string expected = in_custom_ops ? kCustomOps : kInTree;
  const std::string other = in_custom_ops ? kInTree : kCustomOps;
  const PythonName* found = nullptr;
  for (const PythonName& text : script.facts.strings) {
    if (text.text.ends_with(expected)) {
      return;
    }
    found = text.text.substr(text.text.rfind('/') + 1) == other ? &text : found;
  }
  if (found != nullptr) {
    diagnostics.add(kWrongProduct,
                    script.span(found->place.begin, found->place.end),
                    other + " instead of " + expected);
  }
}

}  // namespace

void check_product(const Tree& tree, Diagnostics& diagnostics) {
  for (const Library& library : libraries_in(tree)) {
    const std::string above = folder_name(parent_folder(library.file->path));
    const std::string expected = above == "examples" ? kInTree : kCustomOps;
    if (library.product != expected && library.product.find("${") == std::string::npos) {
      diagnostics.add(kWrongProduct,
                      command_span(*library.file, *library.command),
                      library.product + " instead of " + expected);
    }
  }
  for (const File<PythonFile>& script : tree.python) {
    check_loaded_product(script, diagnostics);
  }
}

namespace {

// The name of the operator whose folder the file lies in; empty: none's.
std::string operator_around(const Tree& tree, const std::string& path) {
  for (const OperatorFacts& op : tree.operators) {
    if (path.starts_with(op.folder + "/")) {
      return op.name;
    }
  }
  return "";
}

// find_package(Torch), or a library that links torch.
bool is_torch_project(const CMakeFile& file) {
  return std::any_of(
      file.facts.commands.begin(), file.facts.commands.end(), [](const CMakeCommand& command) {
        const bool links = command.name == "target_link_libraries";
        return command.is("find_package", "Torch") ||
               (links && std::any_of(command.arguments.begin(),
                                     command.arguments.end(),
                                     [](const CMakeArgument& argument) {
                                       return is_one_of(
                                           argument.value,
                                           {"torch", "torch_npu", "${TORCH_LIBRARIES}"});
                                     }));
      });
}

void check_own_build(const Tree& tree, Diagnostics& diagnostics) {
  for (const CMakeFile& file : tree.cmake) {
    const std::string op = operator_around(tree, file.path);
    if (is_own_project(file.folder(), tree)) {
      diagnostics.add(
          kOwnProject, file.span(0, 1), "torch_binding of " + folder_name(file.folder()));
    } else if (!op.empty() && is_torch_project(file)) {
      diagnostics.add(kOwnProject, file.span(0, 1), "a Torch project in the folder of " + op);
    }
  }
  for (const File<PythonFile>& file : tree.python) {
    const auto& imports = file.facts.imports;
    const bool builds = file.facts.has_attribute("cpp_extension") ||
                        std::any_of(imports.begin(), imports.end(), [](const std::string& module) {
                          return module.ends_with(".cpp_extension");
                        });
    if (builds && !operator_around(tree, file.path).empty()) {
      diagnostics.add(kOwnProject, file.span(0, 1), file.name() + " builds an extension");
    }
  }
}

}  // namespace

void check_own_project(const Tree& tree, Diagnostics& diagnostics) {
  check_own_build(tree, diagnostics);
  std::set<const File<CppFile>*> with_class;
  for (const OperatorClass& op : operator_classes(tree)) {
    with_class.insert(op.file);
  }
  for (const File<CppFile>& file : tree.cpp) {
    const bool is_shared = file.path.find("/torch_binding/") != std::string::npos &&
                           !is_own_project(parent_folder(file.folder()), tree);
    const bool is_binding =
        !bound_operator(file.name()).empty() ||
        (with_class.contains(&file) && !operator_around(tree, file.path).empty());
    if (is_binding && !is_shared) {
      diagnostics.add(kOwnProject, file.span(0, 1), file.name());
    }
  }
}

}  // namespace shmem_bind::lint
