#include "tool/binding/in_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tool/binding/cmake_lists.h"
#include "tool/binding/cpp_source.h"
#include "tool/binding/emit.h"
#include "tool/binding/shared_region.h"
#include "tool/binding/tree_editor.h"

namespace shmem_bind::binding {
namespace {

constexpr const char* kTop = "CMakeLists.txt";
constexpr const char* kExamples = "examples/CMakeLists.txt";
constexpr const char* kBinding = "examples/torch_binding/CMakeLists.txt";
constexpr const char* kDeclarations = "examples/torch_binding/include/shmem_torch_kernel.h";
constexpr const char* kBindings = "examples/torch_binding/src/torch_bindings.cpp";
constexpr const char* kOurManager = "examples/torch_binding/src/torch_bind_manager.cpp";
constexpr const char* kTarget = "aclshmem_torch";
constexpr const char* kKernelTargets = "ACLSHMEM_ALL_KERNEL_TARGETS";
constexpr const char* kSupported = "PYEXPAND_SUPPORTED_TORCH";
constexpr const char* kFolders = "kernel_folders";
constexpr const char* kTargets = "kernel_targets";

RegionPlace cmake_region(const char* name, size_t at) {
  return {name, "#", at};
}

// The regions of one operator's kernel library, wherever it stands.
const std::vector<std::string> kKernelRegions = {kFolders, kTargets};

class InTreePlanner {
 public:
  InTreePlanner(const contract::Contract& contract, const Texts& existing)
      : contract_(contract),
        op_(contract.op_name),
        existing_(existing),
        editor_(contract.op_name, existing) {}

  TreePlan plan() {
    check_operator_folder();
    check_manager();
    if (require(kBinding, "examples/torch_binding is the tree's Torch binding")) {
      join_sources();
    }
    if (require(kExamples, "it adds the example folders")) {
      join_folder();
      join_kernel_targets();
    }
    if (require(kDeclarations, "it declares the kernels")) {
      editor_.edit(kDeclarations,
                   {"declarations", "//", declarations_place(editor_.text(kDeclarations))},
                   declaration_lines());
    }
    TreePlan result{{}, editor_.problems()};
    if (result.problems.empty()) {
      result.plan = all_files();
    }
    return result;
  }

 private:
  bool require(const char* path, const char* purpose) {
    if (editor_.has(path)) {
      return true;
    }
    editor_.object(path,
                   0,
                   fmt::format("the file is missing: {}", purpose),
                   "build_mode: independent_project, or run in a SHMEM source tree");
    return false;
  }

  void check_operator_folder() {
    const std::string path = fmt::format("examples/{}/CMakeLists.txt", op_);
    if (!editor_.has(path)) {
      editor_.object(path,
                     0,
                     fmt::format("the file is missing: it makes the kernel library {}_kernel", op_),
                     fmt::format("write it; where the tree has the function: "
                                 "aclshmem_add_collective_example({})",
                                 op_));
    }
  }

  // Ours was written when the tree had none; other operators may still name it.
  void check_manager() {
    if (tree_has_manager() && editor_.has(kOurManager)) {
      editor_.object(kOurManager,
                     0,
                     "the tree has a Manager of its own now: two would be registered",
                     "shmem-bind clean for every operator that was generated, then generate again");
    }
  }

  void join_sources() {
    const auto text = editor_.parsed(kBinding);
    if (!text) {
      return;
    }
    const auto library =
        std::find_if(text->commands.begin(), text->commands.end(), [](const CMakeCommand& command) {
          return command.is("add_library", kTarget);
        });
    if (library == text->commands.end()) {
      editor_.object(kBinding,
                     0,
                     fmt::format("add_library({} …) does not stand in it", kTarget),
                     "build_mode: independent_project, or add the library");
      return;
    }
    std::string sources =
        fmt::format("src/torch_bind_{}.cpp src/npu_launch.cpp src/npu_launch_checks.cpp", op_);
    if (!tree_has_manager()) {
      sources += " src/torch_bind_manager.cpp";
    }
    std::vector<std::string> lines = {
        fmt::format("set({}_sources {})", op_, sources),
        fmt::format("target_sources({} PRIVATE ${{{}_sources}})", kTarget, op_),
        fmt::format("set_source_files_properties(${{{}_sources}} PROPERTIES COMPILE_OPTIONS "
                    "-std=c++20)",
                    op_)};
    if (!library->blocks.empty()) {
      lines.insert(lines.begin(), fmt::format("if(TARGET {})", kTarget));
      lines.emplace_back("endif()");
    }
    editor_.edit_cmake(kBinding, cmake_region("sources", editor_.text(kBinding).size()), lines);
  }

  // True when a foreign command names the operator's folder: add_subdirectory, or a loop over
  // names.
  bool tree_adds_folder() const {
    const CMakeText foreign = editor_.foreign(kExamples, kKernelRegions);
    return std::any_of(foreign.commands.begin(), foreign.commands.end(), [&](const auto& command) {
      return command.is("add_subdirectory", op_) ||
             (command.name == "foreach" && names(command, 1, op_));
    });
  }

  // The line in front of what adds torch_binding/, outside of all blocks.
  std::optional<size_t> in_front_of_binding(const CMakeText& text) {
    for (const CMakeCommand& command : text.commands) {
      const bool adds = command.is("add_subdirectory", "torch_binding") ||
                        (command.name == "foreach" && names(command, 1, "torch_binding"));
      if (adds) {
        return editor_.in_front(
            kExamples, command.blocks.empty() ? command : text.commands[command.blocks[0]]);
      }
    }
    editor_.object(kExamples,
                   0,
                   "add_subdirectory(torch_binding) does not stand in it",
                   "add it behind the kernels");
    return std::nullopt;
  }

  void join_folder() {
    const auto text = editor_.parsed(kExamples);
    if (!text) {
      return;
    }
    if (tree_adds_folder()) {
      editor_.withdraw(kExamples, cmake_region(kFolders, 0));  // never twice
      return;
    }
    if (const auto at = in_front_of_binding(*text)) {
      editor_.edit_cmake(
          kExamples, cmake_region(kFolders, *at), {fmt::format("add_subdirectory({})", op_)});
    }
  }

  // The file that fills the list of kernel libraries, nearest first.
  std::string file_of_targets() const {
    for (const char* path : {kExamples, kTop, kBinding}) {
      const auto found = existing_.find(path);
      if (found != existing_.end() &&
          !writers_of(parse_cmake(found->second), kKernelTargets).empty()) {
        return path;
      }
    }
    return "";
  }

  void join_kernel_targets() {
    const std::string path = file_of_targets();
    if (path.empty()) {
      editor_.object(kExamples,
                     0,
                     fmt::format("no CMake file of the tree sets {}", kKernelTargets),
                     fmt::format("set({} …) in examples/CMakeLists.txt", kKernelTargets));
      return;
    }
    const auto text = editor_.parsed(path);
    if (!text) {
      return;
    }
    withdraw_targets(path);
    const CMakeText foreign = editor_.foreign(path, kKernelRegions);
    if (fills(foreign, kSupported, op_) || fills(foreign, kKernelTargets, op_ + "_kernel")) {
      withdraw_targets("");  // the tree says it already
      return;
    }
    for (const CMakeCommand& command : text->commands) {
      if (command.is("set", kSupported) && command.blocks.empty()) {
        // The tree's functions add the library of each operator that stands here.
        editor_.edit_cmake(path,
                           cmake_region(kTargets, editor_.behind(path, command)),
                           {fmt::format("list(APPEND {} {})", kSupported, op_)});
        return;
      }
    }
    append_target(path, *text);
  }

  // The kernel library is listed in one file: an entry in another one comes from a time when the
  // tree was other.
  void withdraw_targets(const std::string& but_in) {
    for (const char* path : {kExamples, kTop, kBinding}) {
      if (path != but_in) {
        editor_.withdraw(path, cmake_region(kTargets, 0));
      }
    }
  }

  void append_target(const std::string& path, const CMakeText& text) {
    const CMakeCommand* last = nullptr;
    for (const size_t index : writers_of(text, kKernelTargets)) {
      if (text.commands[index].blocks.empty()) {
        last = &text.commands[index];
      }
    }
    const bool cached = last != nullptr && names(*last, 1, "CACHE");
    const std::string line =
        cached ? fmt::format("set({0} ${{{0}}} {1}_kernel CACHE INTERNAL \"kernel libraries\")",
                             kKernelTargets,
                             op_)
               : fmt::format("list(APPEND {} {}_kernel)", kKernelTargets, op_);
    const auto at =
        last != nullptr ? std::optional(editor_.behind(path, *last)) : in_front_of_binding(text);
    if (at && (last != nullptr || path == kExamples)) {
      editor_.edit_cmake(path, cmake_region(kTargets, *at), {line});
    } else if (at) {
      editor_.object(path,
                     0,
                     fmt::format("{} is set only inside blocks", kKernelTargets),
                     "set it once outside of them");
    }
  }

  bool tree_has_manager() const {
    const auto found = existing_.find(kBindings);
    return found != existing_.end() && defines_manager(found->second);
  }

  std::vector<std::string> declaration_lines() const {
    std::vector<std::string> lines = {"#include <cstdint>",
                                      "",
                                      "#include \"opdev/bfloat16.h\"",
                                      "#include \"opdev/fp16_t.h\"",
                                      ""};
    const auto declaration = emit_kernel_declaration(contract_);
    lines.insert(lines.end(), declaration.begin(), declaration.end());
    return lines;
  }

  Plan all_files() {
    Plan plan = plan_write(emit_in_tree(contract_, tree_has_manager()), op_, existing_);
    for (const char* path : {kExamples, kBinding, kDeclarations, kTop}) {
      if (editor_.has(path)) {
        plan[path] = editor_.planned(path);
      }
    }
    return plan;
  }

  const contract::Contract& contract_;
  const std::string& op_;
  const Texts& existing_;
  TreeEditor editor_;
};

}  // namespace

TreePlan plan_in_tree(const contract::Contract& contract, const Texts& existing) {
  return InTreePlanner(contract, existing).plan();
}

}  // namespace shmem_bind::binding
