#include "tool/binding/emit.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tool/base/text.h"
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

void add_shared(FileSet& files, const contract::Contract& contract) {
  const std::string& op = contract.op_name;
  const Origin origin{kSharedOrigin, {}};
  const std::string binding = "custom-ops/torch_binding/";
  for (const char* path : {"include/torch_register.h",
                           "include/npu_launch.h",
                           "src/torch_bindings.cpp",
                           "src/npu_launch.cpp"}) {
    const std::string name(path);
    files[binding + name] = owned(snippet(name.substr(name.find('/') + 1)), "//", origin);
  }
  GeneratedFile cmake = owned(snippet("cmake_lists.txt"), "#", origin);
  cmake.shared["kernel_targets"] = {
      fmt::format("  ${{CMAKE_CURRENT_SOURCE_DIR}}/../{0}/build/lib/lib{0}_kernel.so", op)};
  cmake.shared["sources"] = {fmt::format("  src/torch_bind_{}.cpp", op)};
  files[binding + "CMakeLists.txt"] = std::move(cmake);
  GeneratedFile declarations = owned(snippet("shmem_torch_kernel.h"), "//", origin);
  declarations.shared["declarations"] = emit_kernel_declaration(contract);
  files[binding + "include/shmem_torch_kernel.h"] = std::move(declarations);
  const std::string package = binding + "python/shmem_custom_ops/";
  files[package + "__init__.py"] = owned(snippet("python_package.py"), "#", origin);
  files[package + "py.typed"] = owned("", "#", origin);
  files["custom-ops/scripts/build_torch.sh"] = owned(snippet("build_torch.sh"), "#", origin, true);
  files["custom-ops/scripts/shmem_runtime_env.sh"] =
      owned(snippet("shmem_runtime_env.sh"), "#", origin);
}

}  // namespace

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

namespace {

// The text with a passage replaced that must stand in it.
std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed = replaced(std::string(text), from, to);
  if (changed == text) {
    std::abort();  // a fault of ours: the snippet has changed
  }
  return changed;
}

// Includes our registration by the name it has beside the tree's own torch_register.h.
std::string in_tree_source(std::string_view text) {
  return with(text, "#include \"torch_register.h\"", "#include \"shmem_ops_register.h\"");
}

// A Manager of the tree initialises SHMEM past our library.
std::string in_tree_launch() {
  return with(snippet("npu_launch.cpp"),
              "void require_initialised(const char* what) {\n  if (lifecycle().initialised) {\n",
              "void require_initialised(const char* what) {\n"
              "  // The Manager of this tree initialises SHMEM itself.\n"
              "  if (lifecycle().initialised ||\n"
              "      aclshmemx_init_status() == ACLSHMEM_STATUS_IS_INITIALIZED) {\n");
}

}  // namespace

FileSet emit_in_tree(const contract::Contract& contract, bool tree_has_manager) {
  const std::string& op = contract.op_name;
  const Origin shared{kSharedOrigin, {}};
  const Origin origin{fmt::format("examples/{}/docs/design.md", op), "contract " + contract.digest};
  const std::string binding = "examples/torch_binding/";
  FileSet files;
  files[binding + "include/shmem_ops_register.h"] =
      owned(snippet("torch_register.h"), "//", shared);
  files[binding + "include/npu_launch.h"] = owned(snippet("npu_launch.h"), "//", shared);
  files[binding + "src/npu_launch.cpp"] = owned(
      tree_has_manager ? in_tree_launch() : std::string(snippet("npu_launch.cpp")), "//", shared);
  if (!tree_has_manager) {
    files[binding + "src/torch_bind_manager.cpp"] =
        owned(in_tree_source(snippet("torch_bindings.cpp")), "//", shared);
  }
  files[fmt::format("{}src/torch_bind_{}.cpp", binding, op)] =
      owned(in_tree_source(emit_operator_class(contract)), "//", origin);
  std::string test =
      with(emit_python_test(contract), "\"shmem_custom_ops_torch.so\"", "\"aclshmem_torch.so\"");
  test = with(test,
              "custom-ops/scripts/build_torch.sh 和 scripts/build_kernel.sh",
              "scripts/build.sh -python_example");
  files[fmt::format("examples/{0}/scripts/torch_test_{0}.py", op)] = owned(test, "#", origin, true);
  return files;
}

}  // namespace shmem_bind::binding
