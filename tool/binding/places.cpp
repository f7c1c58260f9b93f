#include "tool/binding/places.h"

#include <fmt/format.h>

namespace shmem_bind::binding {
namespace {

void add(std::vector<std::string>& paths,
         const std::string& folder,
         const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    paths.push_back(fmt::format("{}/{}", folder, name));
  }
}

// Common to both modes.
Places places_in(const std::string& folder,
                 const std::string& scripts,
                 const std::string& package,
                 const std::string& op_name) {
  Places places;
  places.op = fmt::format("{}/{}", folder, op_name);
  places.binding = folder + "/torch_binding";
  places.source = fmt::format("{}/src/torch_bind_{}.cpp", places.binding, op_name);
  places.test = fmt::format("{}/scripts/torch_test_{}.py", places.op, op_name);
  places.scripts = scripts;
  places.package = package;
  places.own = {places.source, places.test};
  const std::string python = fmt::format("{}/python/{}", places.binding, package);
  add(places.own, python, {op_name + ".py"});
  add(places.shared, python, {"__init__.py", "py.typed"});
  add(places.shared, scripts, {"multi_pe_launch.py", "multi_pe_test.py"});
  return places;
}

Places custom_ops(const std::string& op_name) {
  Places places = places_in("custom-ops", "custom-ops/scripts", "shmem_custom_ops", op_name);
  places.product = "shmem_custom_ops_torch.so";
  places.records = places.op + "/build";
  places.binding_library = places.binding + "/build/lib/" + places.product;
  places.kernel_library = fmt::format("{}/build/lib/lib{}_kernel.so", places.op, op_name);
  add(places.own, places.op, {"scripts/build_kernel.sh", "scripts/run_torch_test.sh"});
  add(places.shared,
      places.binding,
      {"CMakeLists.txt",
       "include/npu_launch.h",
       "include/shmem_torch_kernel.h",
       "include/torch_register.h",
       "src/npu_launch.cpp",
       "src/npu_launch_checks.cpp",
       "src/torch_bindings.cpp"});
  add(places.shared, "custom-ops/scripts", {"build_torch.sh", "shmem_runtime_env.sh"});
  return places;
}

// `scripts/build.sh -python_example` builds in build/ and installs into install/.
Places in_tree(const std::string& op_name) {
  Places places = places_in("examples", "examples/torch_binding/scripts", "aclshmem_ops", op_name);
  places.product = "aclshmem_torch.so";
  places.records = "build/shmem-bind/" + op_name;
  places.binding_library = "install/shmem/lib/" + places.product;
  places.kernel_library =
      fmt::format("install/shmem/torch_binding/kernels/lib{}_kernel.so", op_name);
  add(places.shared,
      places.binding,
      {"include/npu_launch.h",
       "include/shmem_ops_register.h",
       "src/npu_launch.cpp",
       "src/npu_launch_checks.cpp",
       "src/torch_bind_manager.cpp"});
  places.foreign = {"CMakeLists.txt", "examples/CMakeLists.txt"};
  add(places.foreign, places.binding, {"CMakeLists.txt", "include/shmem_torch_kernel.h"});
  return places;
}

}  // namespace

Places places_of(contract::BuildMode mode, const std::string& op_name) {
  return mode == contract::BuildMode::kInTreeExample ? in_tree(op_name) : custom_ops(op_name);
}

}  // namespace shmem_bind::binding
