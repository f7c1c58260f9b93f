#include "tool/binding/emit.h"

#include <fmt/format.h>

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

}  // namespace shmem_bind::binding
