#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/prove/workshop.h"

// The libraries of the variants: one for all bindings, one for each kernel.

namespace shmem_bind::prove {
namespace {

// As many kernels side by side as there are compiles; the target of the library alone where CMake
// knows it by its name.
constexpr const char* kBuildKernels =
    R"(cd "$1" && export library="$2" && ls | grep '^k' | xargs -P "${JOBS:-2}" -I{} bash -c '
  { cmake -S {} -B {}/build $(command -v ninja >/dev/null && echo "-G Ninja") -DSHMEM_REPO="${SHMEM_REPO}" &&
    { cmake --build {}/build --target "lib/${library}" || cmake --build {}/build; }; } >{}.log 2>&1 || true')";

// For a kernel whose CMakeLists.txt is only a line of a larger tree's.
constexpr const char* kKernelProject = R"(cmake_minimum_required(VERSION 3.16)
if(NOT DEFINED CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER bisheng)
endif()
project(@op@ LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(SHMEM_INSTALL ${SHMEM_REPO}/install/shmem)
add_library(@op@_kernel SHARED @source@)
target_include_directories(@op@_kernel PRIVATE
  . src $ENV{ASCEND_HOME_PATH}/include ${SHMEM_INSTALL}/include ${SHMEM_INSTALL}/src/device)
target_compile_options(@op@_kernel PRIVATE -xasc -Xhost-start -ftrapv -Xhost-end
  --npu-arch=dav-2201 --cce-auto-infer-kernel-type=false --cce-auto-set-ffts=false)
target_compile_definitions(@op@_kernel PRIVATE FFTS_CONFIG=1)
target_link_directories(@op@_kernel PRIVATE ${SHMEM_INSTALL}/lib $ENV{ASCEND_HOME_PATH}/lib64)
target_link_options(@op@_kernel PRIVATE --cce-fatobj-link)
target_link_libraries(@op@_kernel PRIVATE shmem ascendcl)
)";

}  // namespace

void Workshop::write_sources(const std::vector<Variant>& variants) {
  const binding::Places places = binding::places_of(contract_);
  const MutantSources sources = mutant_sources(variants,
                                               text_of(places.source),
                                               text_of(places.binding + "/src/torch_bindings.cpp"),
                                               texts());
  const std::map<std::string, std::string> changed = {
      {places.source, sources.op},
      {places.binding + "/src/torch_bindings.cpp", sources.bindings},
      {places.binding + "/src/npu_launch.cpp", sources.launch}};
  for (const auto& [path, file] : files_) {
    const auto found = changed.find(path);
    const std::string& wanted = found == changed.end() ? file.text : found->second;
    const auto present = around_.files.read(in_tree(path));
    if (!present.ok() || present.value() != wanted) {  // what is the same is not compiled again
      around_.files.write(in_tree(path), wanted, file.executable);
    }
  }
}

std::vector<std::string> Workshop::compile(std::vector<Variant>& variants,
                                           std::vector<std::string>& problems) {
  write_sources(variants);
  build::Plan plan = build::plan_build(folder_ + "/tree", contract_, around_.target);
  build::keep_part(plan, build::Part::kBinding);
  plan.with_load = false;  // the unchanged operator is run
  const build::BuildReport report =
      build::run_build(plan, contract_, around_.target, around_.files, around_.runner, {});
  if (report.ok()) {
    return {};
  }
  std::vector<std::string> culprits;
  std::string output;
  for (const build::StepReport& step : report.steps) {
    output += step.output;
  }
  for (const std::string_view line : split_lines(output)) {
    for (Variant& variant : variants) {
      if (variant.row.state.empty() && line.find(": error:") != std::string_view::npos &&
          line.find(variant.row.id + ":") != std::string_view::npos) {
        variant.row.state = "invalid";
        variant.row.by = std::string(line);
        culprits.push_back(variant.row.id);
      }
    }
  }
  if (culprits.empty()) {
    problems = report.findings;
    problems.insert(problems.begin(),
                    "the library of the wrong bindings " + std::string(build::name_of(report.end)));
  }
  return culprits;
}

// The kernel that the binding links.
bool Workshop::copy_into_tree(std::vector<std::string>& problems) {
  const auto kernel = around_.files.read(
      fmt::format("{}/{}", around_.tree, binding::places_of(user_).kernel_library));
  if (!kernel.ok()) {
    problems.push_back(kernel.failure().text);
    return false;
  }
  const std::string copy = in_tree(binding::places_of(contract_).kernel_library);
  const auto written = around_.files.write(copy, kernel.value(), true);
  if (!written.ok()) {
    problems.push_back(written.failure().text);
  }
  return written.ok();
}

bool Workshop::build_bindings(std::vector<Variant>& variants, std::vector<std::string>& problems) {
  if (!copy_into_tree(problems)) {
    return false;
  }
  for (int attempt = 0; attempt < 4; ++attempt) {  // again without what does not compile
    if (compile(variants, problems).empty()) {
      return problems.empty();
    }
  }
  problems.emplace_back("too many of the wrong bindings do not compile");
  return false;
}

void Workshop::write_kernel(const Variant& variant) {
  const std::string copy = folder_ + "/kernels/" + variant.row.id + "/";
  std::string project;
  for (const char* below : {"src/", ""}) {
    for (const std::string& name : around_.files.list(op_folder_ + "/" + below)) {
      const std::string path = below + name;
      const auto text = around_.files.read(op_folder_ + "/" + path);
      if (!text.ok() || around_.files.is_folder(op_folder_ + "/" + path)) {
        continue;
      }
      project = path == "CMakeLists.txt" ? text.value() : project;
      around_.files.write(copy + path,
                          path == kernel_source_
                              ? variant.texts.at("kernel") + announcing(variant.row.id)
                              : text.value(),
                          false);
    }
  }
  if (project.find("project(") == std::string::npos) {
    const std::string own =
        replaced(replaced(kKernelProject, "@op@", user_.op_name), "@source@", kernel_source_);
    around_.files.write(copy + "CMakeLists.txt", own, false);
  }
}

void Workshop::build_kernels(std::vector<Variant>& variants) {
  around_.files.remove(folder_ + "/kernels");
  std::vector<Variant*> wanted;
  for (Variant& variant : variants) {
    if (variant.row.kind == "kernel" && variant.row.state.empty()) {
      write_kernel(variant);
      wanted.push_back(&variant);
    }
  }
  if (wanted.empty()) {
    return;
  }
  Command command = build::in_environment(around_.target,
                                          {"bash",
                                           "-c",
                                           kBuildKernels,
                                           "kernels",
                                           folder_ + "/kernels",
                                           fmt::format("lib{}_kernel.so", user_.op_name)});
  command.deadline = std::chrono::minutes(10);
  if (around_.target.jobs > 0) {
    command.environment["JOBS"] = std::to_string(around_.target.jobs);
  }
  const ProcessResult result = around_.runner.run(command, {});
  interrupted_ = interrupted_ || result.interrupted;
  for (Variant* variant : wanted) {
    const std::string library =
        fmt::format("{}/lib{}_kernel.so", kernel_folder(variant->row.id), user_.op_name);
    if (!around_.files.exists(library)) {
      std::vector<std::string> lines;
      const auto log =
          around_.files.read(fmt::format("{}/kernels/{}.log", folder_, variant->row.id));
      build::classify(log.ok() ? log.value() : "", lines);
      variant->row.state = "invalid";
      variant->row.by = lines.empty() ? "does not build" : lines.front();
    }
  }
}

}  // namespace shmem_bind::prove
