#include <algorithm>

#include "tool/base/text.h"
#include "tool/lint/checks.h"
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

bool has_binding_source(const CMakeCommand& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(), [](const auto& argument) {
    return argument.value.find("torch_bind") != std::string::npos;
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
  std::string prefix = "lib";
  std::string name = target;
  std::string suffix = ".so";
  for (const CMakeCommand& command : file.facts.commands) {
    if (command.name != "set_target_properties" && command.name != "set_property") {
      continue;
    }
    const auto of_target = std::any_of(command.arguments.begin(),
                                       command.arguments.end(),
                                       [&](const auto& a) { return a.value == target; });
    for (size_t i = 0; of_target && i + 1 < command.arguments.size(); ++i) {
      const std::string& key = command.arguments[i].value;
      const std::string& value = command.arguments[i + 1].value;
      if (key == "PREFIX") {
        prefix = value;
      } else if (key == "OUTPUT_NAME") {
        name = value;
      } else if (key == "SUFFIX") {
        suffix = value;
      }
    }
  }
  return prefix + name + suffix;
}

std::vector<Library> libraries_in(const Tree& tree) {
  std::vector<Library> found;
  for (const CMakeFile& file : tree.cmake) {
    for (const CMakeCommand& command : file.facts.commands) {
      if (is_library_command(command) &&
          (is_in_torch_binding(file) || has_binding_source(command))) {
        const std::string& target = command.arguments[0].value;
        found.push_back({&file, &command, target, product_of(file, target)});
      }
    }
  }
  return found;
}

// Everything the target links, in this file.
std::vector<std::string> links_of(const Library& library) {
  std::vector<std::string> links;
  for (const CMakeCommand& command : library.file->facts.commands) {
    if (command.is("target_link_libraries", library.target) || command.name == "link_libraries") {
      for (const CMakeArgument& argument : command.arguments) {
        links.push_back(argument.value);
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

void check_product(const Tree& tree, Diagnostics& diagnostics) {
  for (const Library& library : libraries_in(tree)) {
    const std::string above = folder_name(parent_folder(library.file->path));
    const bool in_tree = above == "examples";
    const std::string expected = in_tree ? "aclshmem_torch.so" : "shmem_custom_ops_torch.so";
    if (library.product != expected && library.product.find("${") == std::string::npos) {
      diagnostics.add(kWrongProduct,
                      command_span(*library.file, *library.command),
                      library.product + " instead of " + expected);
    }
  }
}

void check_own_project(const Tree& tree, Diagnostics& diagnostics) {
  for (const CMakeFile& file : tree.cmake) {
    if (is_own_project(file.folder(), tree)) {
      diagnostics.add(
          kOwnProject, file.span(0, 1), "torch_binding of " + folder_name(file.folder()));
    }
  }
  for (const File<CppFile>& file : tree.cpp) {
    const bool is_shared = file.path.find("/torch_binding/") != std::string::npos &&
                           !is_own_project(parent_folder(file.folder()), tree);
    if (!bound_operator(file.name()).empty() && !is_shared) {
      diagnostics.add(kOwnProject, file.span(0, 1), file.name());
    }
  }
}

}  // namespace shmem_bind::lint
