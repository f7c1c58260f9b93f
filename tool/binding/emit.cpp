#include "tool/binding/emit.h"

#include <fmt/format.h>

#include <initializer_list>

#include "tool/binding/places.h"
#include "tool/binding/snippets.h"

namespace shmem_bind::binding {
namespace {

// Where a file's contents come from, as its stamp says it.
struct Origin {
  std::string source;
  std::string facts;
};

GeneratedFile owned(std::string_view text,
                    const std::string& comment,
                    const Origin& origin,
                    bool executable = false) {
  return {stamped(std::string(text), comment, origin.source, origin.facts), executable, {}};
}

constexpr const char* kSharedOrigin = "shared by the operators of this tree";

// A text that consists of several snippets, with an empty line between them.
std::string joined_snippets(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) {
    text += text.empty() ? "" : "\n";
    text += snippet(name);
  }
  return text;
}

// What does not depend on the Manager.
void add_checks(FileSet& files, const std::string& binding, const Origin& origin) {
  files[binding + "src/npu_launch_checks.cpp"] =
      owned(snippet("npu_launch_checks.cpp"), "//", origin);
}

// Launching, the life of objects under our Manager, checks.
void add_launch(FileSet& files, const std::string& binding, const Origin& origin) {
  files[binding + "include/npu_launch.h"] =
      owned(joined_snippets({"npu_launch_queue.h", "npu_launch_life.h", "npu_launch_checks.h"}),
            "//",
            origin);
  files[binding + "src/npu_launch.cpp"] = owned(joined_snippets({"npu_launch_lifecycle.cpp",
                                                                 "npu_launch_queue.cpp",
                                                                 "npu_launch_manager.cpp",
                                                                 "npu_launch_tracing.cpp"}),
                                                "//",
                                                origin);
  add_checks(files, binding, origin);
}

// The same under a Manager that the tree has.
void add_launch_of_tree(FileSet& files, const std::string& binding, const Origin& origin) {
  files[binding + "include/npu_launch.h"] = owned(
      joined_snippets({"npu_launch_queue.h", "npu_launch_life_in_tree.h", "npu_launch_checks.h"}),
      "//",
      origin);
  files[binding + "src/npu_launch.cpp"] = owned(
      joined_snippets({"npu_launch_in_tree.cpp", "npu_launch_queue.cpp", "npu_launch_tracing.cpp"}),
      "//",
      origin);
  add_checks(files, binding, origin);
}

std::string emit_manager(contract::BuildMode mode) {
  return filled("torch_bindings.cpp", {{"register", register_header(mode)}});
}

// What the tests of all operators import.
void add_test_modules(FileSet& files, const contract::Contract& contract, const Origin& origin) {
  for (const char* name : {"multi_pe_launch.py", "multi_pe_test.py"}) {
    files[fmt::format("{}/{}", places_of(contract).scripts, name)] =
        owned(snippet(name), "#", origin);
  }
}

// The package of all operators, without their modules.
void add_package(FileSet& files, const contract::Contract& contract, const Origin& origin) {
  const Places places = places_of(contract);
  const std::string package = fmt::format("{}/python/{}/", places.binding, places.package);
  files[package + "__init__.py"] = owned(emit_python_package(contract.build_mode), "#", origin);
  files[package + "py.typed"] = owned("", "#", origin);
}

void add_shared(FileSet& files, const contract::Contract& contract) {
  const std::string& op = contract.op_name;
  const Origin origin{kSharedOrigin, {}};
  const std::string binding = "custom-ops/torch_binding/";
  add_launch(files, binding, origin);
  files[binding + "include/torch_register.h"] = owned(snippet("torch_register.h"), "//", origin);
  files[binding + "src/torch_bindings.cpp"] =
      owned(emit_manager(contract.build_mode), "//", origin);
  GeneratedFile cmake = owned(snippet("cmake_lists.txt"), "#", origin);
  cmake.shared["kernel_targets"] = {
      fmt::format("  ${{CMAKE_CURRENT_SOURCE_DIR}}/../{0}/build/lib/lib{0}_kernel.so", op)};
  cmake.shared["sources"] = {fmt::format("  src/torch_bind_{}.cpp", op)};
  files[binding + "CMakeLists.txt"] = std::move(cmake);
  GeneratedFile declarations = owned(snippet("shmem_torch_kernel.h"), "//", origin);
  declarations.shared["declarations"] = emit_kernel_declaration(contract);
  files[binding + "include/shmem_torch_kernel.h"] = std::move(declarations);
  add_package(files, contract, origin);
  add_test_modules(files, contract, origin);
  files["custom-ops/scripts/build_torch.sh"] = owned(snippet("build_torch.sh"), "#", origin, true);
  files["custom-ops/scripts/shmem_runtime_env.sh"] =
      owned(snippet("shmem_runtime_env.sh"), "#", origin);
}

}  // namespace

std::string register_header(contract::BuildMode mode) {
  return mode == contract::BuildMode::kInTreeExample ? "shmem_ops_register.h" : "torch_register.h";
}

FileSet emit(const contract::Contract& contract) {
  const std::string& op = contract.op_name;
  const Origin origin{fmt::format("custom-ops/{}/docs/design.md", op),
                      "contract " + contract.digest};
  const std::string scripts = fmt::format("custom-ops/{}/scripts/", op);
  FileSet files;
  add_shared(files, contract);
  files[fmt::format("custom-ops/torch_binding/src/torch_bind_{}.cpp", op)] =
      owned(emit_operator_class(contract), "//", origin);
  files[fmt::format("custom-ops/torch_binding/python/shmem_custom_ops/{}.py", op)] =
      owned(emit_python_operator(contract), "#", origin);
  files[scripts + fmt::format("torch_test_{}.py", op)] =
      owned(emit_python_test(contract), "#", origin, true);
  for (const char* name : {"build_kernel.sh", "run_torch_test.sh"}) {
    files[scripts + name] = owned(filled(name, {{"op", op}}), "#", origin, true);
  }
  return files;
}

FileSet emit_in_tree(const contract::Contract& contract, bool tree_has_manager) {
  const std::string& op = contract.op_name;
  const Places places = places_of(contract);
  const Origin shared{kSharedOrigin, {}};
  const Origin origin{places.op + "/docs/design.md", "contract " + contract.digest};
  const std::string binding = places.binding + "/";
  FileSet files;
  files[binding + "include/shmem_ops_register.h"] =
      owned(snippet("torch_register.h"), "//", shared);
  if (tree_has_manager) {
    add_launch_of_tree(files, binding, shared);
  } else {
    add_launch(files, binding, shared);
    files[binding + "src/torch_bind_manager.cpp"] =
        owned(emit_manager(contract.build_mode), "//", shared);
  }
  files[places.source] = owned(emit_operator_class(contract), "//", origin);
  files[places.test] = owned(emit_python_test(contract), "#", origin, true);
  add_package(files, contract, shared);
  add_test_modules(files, contract, shared);
  files[fmt::format("{}python/{}/{}.py", binding, places.package, op)] =
      owned(emit_python_operator(contract), "#", origin);
  return files;
}

}  // namespace shmem_bind::binding
