#include "tool/binding/emit.h"

#include <fmt/format.h>

#include "tool/binding/snippets.h"

namespace shmem_bind::binding {
namespace {

GeneratedFile owned(const std::string& text,
                    const std::string& comment,
                    const std::string& origin,
                    bool executable = false) {
  return {stamped(text, comment, origin), executable, {}};
}

constexpr const char* kSharedOrigin = "shared by the operators of this tree";

}  // namespace

FileSet emit(const contract::Contract& contract) {
  const std::string& op = contract.op_name;
  const std::string origin =
      fmt::format("custom-ops/{}/docs/design.md, contract {}", op, contract.digest);
  const std::string binding = "custom-ops/torch_binding/";
  const std::string scripts = fmt::format("custom-ops/{}/scripts/", op);
  FileSet files;
  for (const char* name : {"torch_register.h", "npu_launch.h"}) {
    files[binding + "include/" + name] = owned(std::string(snippet(name)), "//", kSharedOrigin);
  }
  for (const char* name : {"torch_bindings.cpp", "npu_launch.cpp"}) {
    files[binding + "src/" + name] = owned(std::string(snippet(name)), "//", kSharedOrigin);
  }
  GeneratedFile cmake = owned(std::string(snippet("cmake_lists.txt")), "#", kSharedOrigin);
  cmake.shared["kernel_targets"] = {
      fmt::format("  # operator {}", op),
      fmt::format("  ${{CMAKE_CURRENT_SOURCE_DIR}}/../{0}/build/lib/lib{0}_kernel.so", op)};
  cmake.shared["sources"] = {fmt::format("  # operator {}", op),
                             fmt::format("  src/torch_bind_{}.cpp", op)};
  files[binding + "CMakeLists.txt"] = std::move(cmake);
  GeneratedFile declarations =
      owned(std::string(snippet("shmem_torch_kernel.h")), "//", kSharedOrigin);
  declarations.shared["declarations"] = emit_kernel_declaration(contract);
  files[binding + "include/shmem_torch_kernel.h"] = std::move(declarations);
  files[binding + "src/torch_bind_" + op + ".cpp"] =
      owned(emit_operator_class(contract), "//", origin);
  files[scripts + "torch_test_" + op + ".py"] =
      owned(emit_python_test(contract), "#", origin, true);
  for (const char* name : {"build_kernel.sh", "run_torch_test.sh"}) {
    files[scripts + name] = owned(filled(name, {{"op", op}}), "#", origin, true);
  }
  files["custom-ops/scripts/build_torch.sh"] =
      owned(std::string(snippet("build_torch.sh")), "#", kSharedOrigin, true);
  files["custom-ops/scripts/shmem_runtime_env.sh"] =
      owned(std::string(snippet("shmem_runtime_env.sh")), "#", kSharedOrigin);
  return files;
}

}  // namespace shmem_bind::binding
