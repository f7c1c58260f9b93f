#include <cstddef>
#include <cstdint>
#include <string>

#include "tool/base/text.h"
#include "tool/binding/clean_plan.h"
#include "tool/binding/cmake_text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/in_tree.h"
#include "tool/binding/shared_region.h"
#include "tool/contract/testing.h"

// Any bytes as a file that others own a part of: the binding's CMake file, shared by operators, and
// each of the three files of a SHMEM source tree. What is planned must keep what is not ours, and
// planning on top of it must change nothing.

namespace contract = shmem_bind::contract;
using shmem_bind::binding::FileSet;
using shmem_bind::binding::PlannedFile;
using shmem_bind::binding::Texts;

namespace {

constexpr const char* kShared = "custom-ops/torch_binding/CMakeLists.txt";
constexpr const char* kExamples = "examples/CMakeLists.txt";
constexpr const char* kBinding = "examples/torch_binding/CMakeLists.txt";
constexpr const char* kHeader = "examples/torch_binding/include/shmem_torch_kernel.h";

void demand(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

FileSet our_files() {
  shmem_bind::binding::GeneratedFile file;
  file.text = shmem_bind::binding::stamped(
      "set(A\n  # shmem-bind: sources begin\n  # shmem-bind: sources end\n)\n", "#", "fuzzing");
  file.shared["sources"] = {"  src/torch_bind_ours.cpp"};
  return {{kShared, file}};
}

void shared_by_operators(const std::string& present) {
  static const FileSet kFiles = our_files();
  const PlannedFile planned = plan_write(kFiles, "ours", {{kShared, present}}).at(kShared);
  if (planned.action == PlannedFile::Action::kConflict) {
    demand(!planned.reason.empty());
    return;
  }
  for (const std::string_view line : shmem_bind::split_lines(present)) {
    demand(line.find("foreign") == std::string_view::npos ||
           planned.text.find(line) != std::string::npos);
  }
  const auto again = plan_write(kFiles, "ours", {{kShared, planned.text}});
  demand(again.at(kShared).action == PlannedFile::Action::kUnchanged);
}

void parsed_in_order(const std::string& text) {
  size_t end = 0;
  for (const auto& command : shmem_bind::binding::parse_cmake(text).commands) {
    demand(end <= command.begin && command.begin < command.open && command.open < command.close &&
           command.close < text.size() && text[command.close] == ')');
    for (const auto& argument : command.arguments) {
      demand(command.open < argument.begin && argument.end <= command.close);
    }
    end = command.close;
  }
}

contract::Contract our_contract() {
  const std::string design =
      contract::changed(contract::kGoodDesign, "independent_project", "in_tree_example");
  const auto read =
      contract::read(contract::changed(design, "custom-ops/copy_rows", "examples/copy_rows"),
                     contract::kGoodHeader);
  demand(read.contract.has_value());
  return *read.contract;
}

// Small and whole, so that the fuzzed file decides what is planned.
Texts tree_around() {
  return {{kExamples,
           "set(ACLSHMEM_ALL_KERNEL_TARGETS other_kernel)\nadd_subdirectory(other)\n"
           "add_subdirectory(torch_binding)\n"},
          {kBinding, "add_library(aclshmem_torch SHARED src/torch_bindings.cpp)\n"},
          {kHeader, "#ifndef GUARD_H\n#define GUARD_H\nnamespace K { void f(); }\n#endif\n"},
          {"examples/torch_binding/src/torch_bindings.cpp",
           "class Manager : public torch::jit::CustomClassHolder {\n};\n"},
          {"examples/copy_rows/CMakeLists.txt", "add_example(copy_rows)\n"}};
}

// What the owners of the file wrote.
std::string foreign(const std::string& path, std::string text) {
  for (const char* region : {"kernel_folders", "kernel_targets", "sources", "declarations"}) {
    text = shmem_bind::binding::foreign_text(text, {region, path == kHeader ? "//" : "#", 0});
  }
  return text;
}

void joins_tree(const std::string& path, const std::string& present) {
  static const contract::Contract kContract = our_contract();
  Texts tree = tree_around();
  tree[path] = present;
  const auto before = shmem_bind::binding::plan_in_tree(kContract, tree);
  for (const auto& problem : before.problems) {
    demand(!problem.text.empty() && !problem.way_out.empty());
  }
  for (const auto& [name, file] : before.plan) {
    if (file.action == PlannedFile::Action::kConflict) {
      demand(!file.reason.empty());
      return;
    }
    demand(!tree.contains(name) || foreign(name, tree[name]) == foreign(name, file.text));
    tree[name] = file.text;
  }
  const auto after = shmem_bind::binding::plan_in_tree(kContract, tree);
  demand(before.problems.empty() == after.problems.empty());
  for (const auto& [name, file] : after.plan) {
    demand(file.action == PlannedFile::Action::kUnchanged);
  }
  if (!before.problems.empty()) {
    return;
  }
  for (const auto& [name, file] :
       shmem_bind::binding::plan_clean(kContract.build_mode, "copy_rows", tree, {})) {
    if (file.action == shmem_bind::binding::CleanedFile::Action::kUpdate) {
      demand(foreign(name, tree[name]) == foreign(name, file.text));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string present(reinterpret_cast<const char*>(data), size);
  parsed_in_order(present);
  switch (size % 4) {  // one file each time: planning emits the whole binding
    case 0:
      joins_tree(kExamples, present);
      break;
    case 1:
      joins_tree(kBinding, present);
      break;
    case 2:
      joins_tree(kHeader, present);
      break;
    default:
      shared_by_operators(present);
      break;
  }
  return 0;
}
