#include "tool/binding/clean_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/places.h"
#include "tool/binding/plan_tree.h"
#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

using Action = CleanedFile::Action;
using contract::BuildMode;
constexpr BuildMode kCustomOps = BuildMode::kIndependentProject;
constexpr BuildMode kInTree = BuildMode::kInTreeExample;
constexpr const char* kCMake = "custom-ops/torch_binding/CMakeLists.txt";
constexpr const char* kSource = "custom-ops/torch_binding/src/torch_bind_copy_rows.cpp";

contract::Contract contract_of(const std::string& op, BuildMode mode) {
  std::string design = contract::kGoodDesign;
  if (mode == kInTree) {
    design = contract::changed(design, "independent_project", "in_tree_example");
    design = contract::changed(design, "custom-ops/copy_rows", "examples/copy_rows");
  }
  const contract::Read read = contract::read(replaced(design, "copy_rows", op),
                                             replaced(contract::kGoodHeader, "copy_rows", op));
  EXPECT_TRUE(read.contract.has_value()) << read.text();
  return read.contract.value_or(contract::Contract{});
}

// A tree that operators of that name can join.
Texts tree_of_others() {
  return {{"examples/CMakeLists.txt",
           "set(ACLSHMEM_ALL_KERNEL_TARGETS a_kernel)\nadd_subdirectory(torch_binding)\n"},
          {"examples/torch_binding/CMakeLists.txt", "add_library(aclshmem_torch SHARED a.cpp)"},
          {"examples/torch_binding/include/shmem_torch_kernel.h", "#pragma once\n"},
          {"examples/torch_binding/src/torch_bindings.cpp", "class Manager {\n};\n"},
          {"examples/copy_rows/CMakeLists.txt", "add_example(copy_rows)\n"},
          {"examples/more_rows/CMakeLists.txt", "add_example(more_rows)\n"}};
}

// The tree after generate for that operator.
Texts generated(Texts tree, const std::string& op, BuildMode mode = kCustomOps) {
  const TreePlan plan = plan_tree(contract_of(op, mode), tree);
  EXPECT_TRUE(plan.problems.empty()) << plan.problems[0].path << ": " << plan.problems[0].text;
  for (const auto& [path, file] : plan.plan) {
    tree[path] = file.text;
  }
  return tree;
}

// The tree after clean.
Texts cleaned(Texts tree, const std::string& op, BuildMode mode = kCustomOps) {
  for (const auto& [path, file] : plan_clean(mode, op, tree, {})) {
    if (file.action == Action::kRemove) {
      tree.erase(path);
    } else if (file.action == Action::kUpdate) {
      tree[path] = file.text;
    }
  }
  return tree;
}

TEST(Places, NameEveryFileThatGenerateWrites) {
  for (const BuildMode mode : {kCustomOps, kInTree}) {
    const Places places = places_of(mode, "copy_rows");
    std::vector<std::string> named = places.own;
    named.insert(named.end(), places.shared.begin(), places.shared.end());
    std::sort(named.begin(), named.end());
    std::set<std::string> written;
    const contract::Contract contract = contract_of("copy_rows", mode);
    for (const bool has_manager : {false, true}) {
      for (const auto& [path, file] :
           mode == kInTree ? emit_in_tree(contract, has_manager) : emit(contract)) {
        written.insert(path);
      }
    }
    EXPECT_EQ(named, std::vector<std::string>(written.begin(), written.end()));
  }
}

TEST(CleanPlan, NothingOfACustomOpsTreeStays) {
  EXPECT_EQ(cleaned(generated({}, "copy_rows"), "copy_rows"), Texts());
}

TEST(CleanPlan, TheOrderOfCleaningDoesNotMatter) {
  for (const BuildMode mode : {kCustomOps, kInTree}) {
    const Texts before = mode == kInTree ? tree_of_others() : Texts();
    const Texts one = generated(before, "copy_rows", mode);
    const Texts two = generated(one, "more_rows", mode);
    EXPECT_EQ(cleaned(two, "more_rows", mode), one);
    EXPECT_EQ(cleaned(two, "copy_rows", mode), generated(before, "more_rows", mode));
    EXPECT_EQ(cleaned(cleaned(two, "copy_rows", mode), "more_rows", mode), before);
  }
}

TEST(CleanPlan, AnInTreeOperatorGivesBackEveryForeignByte) {
  for (const char* end : {"\n", "\r\n", ""}) {
    Texts tree = tree_of_others();
    for (auto& [path, text] : tree) {
      text = replaced(text, "\n", *end == '\0' ? "\n" : end);
      text = *end == '\0' ? std::string(trimmed(text)) : text;
    }
    EXPECT_EQ(cleaned(generated(tree, "copy_rows", kInTree), "copy_rows", kInTree), tree);
  }
}

TEST(CleanPlan, AHandEditIsAConflict) {
  Texts tree = generated({}, "copy_rows");
  tree[kSource] += "// mine\n";
  CleanPlan plan = plan_clean(kCustomOps, "copy_rows", tree, {});
  EXPECT_EQ(plan.at(kSource).action, Action::kConflict);
  EXPECT_FALSE(plan.at(kSource).stays);
  EXPECT_EQ(plan.at(kCMake).action, Action::kRemove);

  tree = generated({}, "copy_rows");
  tree[kCMake] = replaced(tree[kCMake], "  src/torch_bind_copy_rows.cpp", "  mine.cpp");
  plan = plan_clean(kCustomOps, "copy_rows", tree, {});
  EXPECT_EQ(plan.at(kCMake).action, Action::kConflict);
  plan = plan_clean(kCustomOps, "copy_rows", tree, {"more_rows"});
  EXPECT_EQ(plan.at(kCMake).action, Action::kConflict);
  EXPECT_TRUE(plan.at(kCMake).stays);
}

TEST(CleanPlan, LinesOfNobodyAreAConflictWhenTheFileGoes) {
  Texts tree = generated({}, "copy_rows");
  tree[kCMake] = replaced(
      tree[kCMake], "# shmem-bind: sources begin\n", "# shmem-bind: sources begin\n  mine.cpp\n");
  const CleanPlan plan = plan_clean(kCustomOps, "copy_rows", tree, {});
  EXPECT_EQ(plan.at(kCMake).action, Action::kConflict);
  EXPECT_NE(plan.at(kCMake).reason.find("belong to no operator"), std::string::npos);
}

TEST(CleanPlan, AFileWithoutAStampIsNotOurs) {
  Texts tree = generated({}, "copy_rows");
  tree[kSource] = "// mine\n";
  const CleanPlan plan = plan_clean(kCustomOps, "copy_rows", tree, {});
  EXPECT_EQ(plan.at(kSource).action, Action::kKeep);
  EXPECT_EQ(plan.at(kSource).reason, "not written by shmem-bind");
}

TEST(CleanPlan, SharedFilesStayForOperatorsWithSourcesOnly) {
  const Texts tree = generated({}, "copy_rows");
  const CleanPlan plan = plan_clean(kCustomOps, "copy_rows", tree, {"by_hand"});
  EXPECT_EQ(plan.at("custom-ops/torch_binding/src/npu_launch.cpp").reason, "used by by_hand");
  EXPECT_EQ(plan.at(kSource).action, Action::kRemove);
}

TEST(CleanPlan, MarksThatDoNotFitTogetherAreBroken) {
  const char* path = "examples/torch_binding/CMakeLists.txt";
  Texts tree = generated(tree_of_others(), "copy_rows", kInTree);
  tree[path] = replaced(tree[path], "# shmem-bind: sources end\n", "");
  EXPECT_EQ(plan_clean(kInTree, "copy_rows", tree, {}).at(path).action, Action::kBroken);
}

}  // namespace
}  // namespace shmem_bind::binding
