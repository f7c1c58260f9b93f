#include "tool/binding/in_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tool/base/text.h"
#include "tool/binding/cmake_text.h"
#include "tool/binding/cpp_source.h"
#include "tool/binding/emit.h"
#include "tool/binding/shared_region.h"
#include "tool/binding/snippets.h"

namespace shmem_bind::binding {
namespace {

constexpr const char* kExamples = "examples/CMakeLists.txt";
constexpr const char* kBinding = "examples/torch_binding/CMakeLists.txt";
constexpr const char* kDeclarations = "examples/torch_binding/include/shmem_torch_kernel.h";
constexpr const char* kBindings = "examples/torch_binding/src/torch_bindings.cpp";
constexpr const char* kTarget = "aclshmem_torch";
constexpr const char* kKernelTargets = "ACLSHMEM_ALL_KERNEL_TARGETS";
constexpr const char* kSupported = "PYEXPAND_SUPPORTED_TORCH";
constexpr const char* kFolders = "kernel_folders";
constexpr const char* kTargets = "kernel_targets";

RegionPlace cmake_region(const char* name, size_t at) {
  return {name, "#", at};
}

// One run over a tree: problems are collected, texts change step by step.
class InTreePlanner {
 public:
  InTreePlanner(const contract::Contract& contract, const Texts& existing)
      : contract_(contract), op_(contract.op_name), existing_(existing), texts_(existing) {}

  InTreePlan plan() {
    check_operator_folder();
    if (require(kBinding, "examples/torch_binding is the tree's Torch binding")) {
      join_sources();
    }
    if (require(kExamples, "it adds the example folders")) {
      join_folder();
      join_kernel_targets();
    }
    if (require(kDeclarations, "it declares the kernels")) {
      edit(kDeclarations,
           {"declarations", "//", declarations_place(texts_[kDeclarations])},
           declaration_lines());
    }
    add_own_files();
    if (!result_.problems.empty()) {
      result_.plan.clear();
    }
    return std::move(result_);
  }

 private:
  // One place is told once, however many steps meet it.
  void object(const std::string& path, size_t at, std::string text, std::string way_out) {
    for (const TreeProblem& known : result_.problems) {
      if (known.path == path && known.at == at && known.text == text) {
        return;
      }
    }
    result_.problems.push_back({path, at, std::move(text), std::move(way_out)});
  }

  bool require(const char* path, const char* purpose) {
    if (existing_.contains(path)) {
      return true;
    }
    object(path,
           0,
           fmt::format("the file is missing: {}", purpose),
           "build_mode: independent_project, or run in a SHMEM source tree");
    return false;
  }

  void check_operator_folder() {
    const std::string path = fmt::format("examples/{}/CMakeLists.txt", op_);
    if (!existing_.contains(path)) {
      object(path,
             0,
             fmt::format("the file is missing: it makes the kernel library {}_kernel", op_),
             fmt::format("write it; where the tree has the function: "
                         "aclshmem_add_collective_example({})",
                         op_));
    }
  }

  // The commands of the present text; a file that CMake would refuse is a problem, and is left
  // alone.
  std::optional<CMakeText> parsed(const std::string& path) {
    CMakeText text = parse_cmake(texts_[path]);
    if (text.mistake) {
      object(path, text.mistake->at, text.mistake->text, "correct the file, then run again");
      return std::nullopt;
    }
    return text;
  }

  // The begin of the line behind the command, and of the line it begins in.
  size_t behind(const std::string& path, const CMakeCommand& command) {
    const std::string& text = texts_[path];
    const size_t newline = text.find('\n', command.close);
    return newline == std::string::npos ? text.size() : newline + 1;
  }
  size_t in_front(const std::string& path, const CMakeCommand& command) {
    const size_t newline = texts_[path].rfind('\n', command.begin);
    return newline == std::string::npos ? 0 : newline + 1;
  }

  void edit(const std::string& path,
            const RegionPlace& place,
            const std::vector<std::string>& lines) {
    RegionEdit edited = with_entry(texts_[path], place, op_, lines);
    if (edited.is_broken) {
      object(path, 0, edited.obstacle, "restore the marks, or remove the region");
      return;
    }
    if (!edited.obstacle.empty() && obstacles_[path].empty()) {
      obstacles_[path] = edited.obstacle;
    }
    texts_[path] = std::move(edited.text);
  }

  // Adds lines to a CMake file: they must be commands there, so a place inside a comment or an
  // argument is a problem.
  void edit_cmake(const std::string& path,
                  const RegionPlace& place,
                  const std::vector<std::string>& lines) {
    const std::string without = without_entry(texts_[path], place, op_).text;
    const size_t others = parse_cmake(without).commands.size();
    const size_t own = parse_cmake(joined(lines, "\n")).commands.size();
    edit(path, place, lines);
    const CMakeText after = parse_cmake(texts_[path]);
    if (after.mistake || after.commands.size() != others + own) {
      object(path,
             place.at,
             "no line can be added here",
             "put a line break behind the command in front of it");
    }
  }

  std::string without_ours(const std::string& path) const {
    const std::string once = foreign_text(existing_.at(path), cmake_region(kFolders, 0));
    return foreign_text(once, cmake_region(kTargets, 0));
  }

  void join_sources() {
    const auto text = parsed(kBinding);
    if (!text) {
      return;
    }
    const auto library =
        std::find_if(text->commands.begin(), text->commands.end(), [](const CMakeCommand& command) {
          return command.is("add_library", kTarget);
        });
    if (library == text->commands.end()) {
      object(kBinding,
             0,
             fmt::format("add_library({} …) does not stand in it", kTarget),
             "build_mode: independent_project, or add the library");
      return;
    }
    std::string sources = fmt::format("src/torch_bind_{}.cpp src/npu_launch.cpp", op_);
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
    edit_cmake(kBinding, cmake_region("sources", texts_[kBinding].size()), lines);
  }

  // True when a foreign command names the operator's folder: add_subdirectory, or a loop over
  // names.
  bool tree_adds_folder() const {
    const CMakeText foreign = parse_cmake(without_ours(kExamples));
    return std::any_of(foreign.commands.begin(), foreign.commands.end(), [&](const auto& command) {
      return command.is("add_subdirectory", op_) ||
             (command.name == "foreach" && names(command, 1, op_));
    });
  }

  static bool names(const CMakeCommand& command, size_t first, const std::string& element) {
    for (size_t i = first; i < command.arguments.size(); ++i) {
      const auto elements = list_elements(command.arguments[i]);
      if (std::find(elements.begin(), elements.end(), element) != elements.end()) {
        return true;
      }
    }
    return false;
  }

  // The line in front of what adds torch_binding/, outside of all blocks.
  std::optional<size_t> in_front_of_binding(const CMakeText& text) {
    for (const CMakeCommand& command : text.commands) {
      const bool adds = command.is("add_subdirectory", "torch_binding") ||
                        (command.name == "foreach" && names(command, 1, "torch_binding"));
      if (adds) {
        return in_front(kExamples,
                        command.blocks.empty() ? command : text.commands[command.blocks[0]]);
      }
    }
    object(kExamples,
           0,
           "add_subdirectory(torch_binding) does not stand in it",
           "add it behind the kernels");
    return std::nullopt;
  }

  void join_folder() {
    const auto text = parsed(kExamples);
    if (!text || tree_adds_folder()) {
      return;
    }
    if (const auto at = in_front_of_binding(*text)) {
      edit_cmake(
          kExamples, cmake_region(kFolders, *at), {fmt::format("add_subdirectory({})", op_)});
    }
  }

  // The file that fills the list of kernel libraries, nearest first.
  std::string file_of_targets() const {
    for (const char* path : {kExamples, "CMakeLists.txt", kBinding}) {
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
      object(kExamples,
             0,
             fmt::format("no CMake file of the tree sets {}", kKernelTargets),
             fmt::format("set({} …) in examples/CMakeLists.txt", kKernelTargets));
      return;
    }
    const auto text = parsed(path);
    if (!text) {
      return;
    }
    const CMakeText foreign = parse_cmake(without_ours(path));
    if (fills(foreign, kSupported, op_) || fills(foreign, kKernelTargets, op_ + "_kernel")) {
      return;  // the tree says it already
    }
    for (const CMakeCommand& command : text->commands) {
      if (command.is("set", kSupported) && command.blocks.empty()) {
        // The tree's functions add the library of each operator that stands here.
        edit_cmake(path,
                   cmake_region(kTargets, behind(path, command)),
                   {fmt::format("list(APPEND {} {})", kSupported, op_)});
        return;
      }
    }
    append_target(path, *text);
  }

  static bool fills(const CMakeText& text, const char* variable, const std::string& element) {
    const auto writers = writers_of(text, variable);
    return std::any_of(writers.begin(), writers.end(), [&](size_t index) {
      return names(text.commands[index], 1, element);
    });
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
        last != nullptr ? std::optional(behind(path, *last)) : in_front_of_binding(text);
    if (at && (last != nullptr || path == kExamples)) {
      edit_cmake(path, cmake_region(kTargets, *at), {line});
    } else if (at) {
      object(path,
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

  void add_own_files() {
    FileSet files = emit_in_tree(contract_, tree_has_manager());
    result_.plan = plan_write(files, op_, existing_);
    for (const auto& [path, text] : texts_) {
      const auto old = existing_.find(path);
      const bool shared = path == kExamples || path == kBinding || path == kDeclarations ||
                          path == "CMakeLists.txt";
      if (!shared || old == existing_.end()) {
        continue;
      }
      PlannedFile planned;
      planned.text = text;
      planned.reason = obstacles_[path];
      if (text != old->second) {
        planned.action =
            planned.reason.empty() ? PlannedFile::Action::kUpdate : PlannedFile::Action::kConflict;
      }
      result_.plan[path] = std::move(planned);
    }
  }

  const contract::Contract& contract_;
  const std::string& op_;
  const Texts& existing_;
  Texts texts_;
  std::map<std::string, std::string> obstacles_;
  InTreePlan result_;
};

}  // namespace

InTreePlan plan_in_tree(const contract::Contract& contract, const Texts& existing) {
  return InTreePlanner(contract, existing).plan();
}

}  // namespace shmem_bind::binding
