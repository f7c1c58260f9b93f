#include "tool/binding/wrong_mode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/plan_tree.h"
#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

using contract::BuildMode;
constexpr BuildMode kCustomOps = BuildMode::kIndependentProject;
constexpr BuildMode kInTree = BuildMode::kInTreeExample;

// "path:byte: text" of everything that is found.
std::string found(BuildMode mode, const Texts& existing) {
  std::string text;
  for (const TreeProblem& problem : wrong_mode_problems(mode, "copy_rows", existing)) {
    text += fmt::format("{}:{}: {}\n", problem.path, problem.at, problem.text);
    EXPECT_NE(problem.way_out, "");
  }
  return text;
}

TEST(WrongMode, TheOtherProductsNameIsFoundInCommandsAndNotInComments) {
  EXPECT_EQ(found(kCustomOps,
                  {{"custom-ops/torch_binding/CMakeLists.txt",
                    "# not aclshmem_torch\nadd_library(aclshmem_torch SHARED a.cpp)\n"}}),
            "custom-ops/torch_binding/CMakeLists.txt:33: aclshmem_torch belongs to build mode "
            "in_tree_example\n");
  EXPECT_EQ(
      found(kInTree,
            {{"examples/torch_binding/CMakeLists.txt",
              "set_target_properties(a PROPERTIES OUTPUT_NAME \"shmem_custom_ops_torch\")"}}),
      "examples/torch_binding/CMakeLists.txt:47: shmem_custom_ops_torch belongs to build mode "
      "independent_project\n");
}

TEST(WrongMode, TheOtherListOfKernelsIsFoundWhereItIsUsed) {
  EXPECT_EQ(found(kCustomOps,
                  {{"custom-ops/copy_rows/CMakeLists.txt",
                    "target_link_libraries(a ${ACLSHMEM_ALL_KERNEL_TARGETS})"}}),
            "custom-ops/copy_rows/CMakeLists.txt:24: ACLSHMEM_ALL_KERNEL_TARGETS belongs to build "
            "mode in_tree_example\n");
  EXPECT_EQ(found(kInTree, {{"examples/CMakeLists.txt", "set(CUSTOM_OPS_KERNEL_TARGETS a)"}}),
            "examples/CMakeLists.txt:4: CUSTOM_OPS_KERNEL_TARGETS belongs to build mode "
            "independent_project\n");
}

TEST(WrongMode, ALongerNameIsAnotherName) {
  EXPECT_EQ(found(kCustomOps,
                  {{"custom-ops/torch_binding/CMakeLists.txt",
                    "add_library(my_aclshmem_torch SHARED a.cpp)\nset(aclshmem_torch_2 a)\n"}}),
            "");
}

TEST(WrongMode, ATorchProjectInsideTheOperatorIsRefusedInBothModes) {
  for (const auto& [mode, folder] : {std::pair{kCustomOps, "custom-ops"}, {kInTree, "examples"}}) {
    const std::string path = fmt::format("{}/copy_rows/torch_binding/CMakeLists.txt", folder);
    EXPECT_EQ(found(mode, {{path, ""}}),
              path + ":0: a Torch project inside the operator belongs to no build mode\n");
  }
}

TEST(WrongMode, LibrariesOfTheOtherModeAreRefused) {
  for (const char* path : {"custom-ops/torch_binding/build/lib/aclshmem_torch.so",
                           "custom-ops/copy_rows/build/lib/aclshmem_torch.so"}) {
    EXPECT_EQ(found(kCustomOps, {{path, ""}}),
              fmt::format("{}:0: a library of build mode in_tree_example\n", path));
  }
  const char* path = "install/shmem/lib/shmem_custom_ops_torch.so";
  EXPECT_EQ(found(kInTree, {{path, ""}}),
            fmt::format("{}:0: a library of build mode independent_project\n", path));
}

TEST(WrongMode, FilesThatOnlyTheOtherModeHasAreRefused) {
  EXPECT_NE(found(kCustomOps, {{"custom-ops/torch_binding/src/torch_bind_manager.cpp", ""}}), "");
  EXPECT_NE(found(kCustomOps, {{"custom-ops/torch_binding/include/shmem_ops_register.h", ""}}), "");
  EXPECT_NE(found(kInTree, {{"examples/torch_binding/python/shmem_custom_ops/__init__.py", ""}}),
            "");
  const auto read = contract::read(contract::kGoodDesign);
  const FileSet custom_ops = emit(*read.contract);
  const char* script = "examples/copy_rows/scripts/build_kernel.sh";
  const std::string& text = custom_ops.at("custom-ops/copy_rows/scripts/build_kernel.sh").text;
  EXPECT_NE(found(kInTree, {{script, text}}).find("a script of build mode independent_project"),
            std::string::npos);
  EXPECT_EQ(found(kInTree, {{script, "make\n"}}), "");
}

TEST(WrongMode, ATestOfTheUsersThatLoadsTheOtherLibraryIsRefused) {
  const std::string text = "torch.ops.load_library('aclshmem_torch.so')\n";
  EXPECT_NE(found(kCustomOps, {{"custom-ops/copy_rows/scripts/torch_test_copy_rows.py", text}}),
            "");
  EXPECT_EQ(found(kInTree, {{"examples/copy_rows/scripts/torch_test_copy_rows.py", text}}), "");
}

TEST(WrongMode, WhatGenerateWritesIsOfItsOwnMode) {
  const auto read = contract::read(contract::kGoodDesign);
  Texts texts;
  for (const auto& [path, file] : emit(*read.contract)) {
    texts[path] = file.text;
  }
  EXPECT_EQ(found(kCustomOps, texts), "");
}

TEST(WrongMode, NothingIsPlannedInATreeOfTheWrongMode) {
  const auto read = contract::read(contract::kGoodDesign);
  EXPECT_FALSE(plan_tree(*read.contract, {}).plan.empty());
  const Texts wrong = {{"custom-ops/torch_binding/build/lib/aclshmem_torch.so", ""}};
  const TreePlan plan = plan_tree(*read.contract, wrong);
  EXPECT_TRUE(plan.plan.empty());
  ASSERT_EQ(plan.problems.size(), 1u);
}

}  // namespace
}  // namespace shmem_bind::binding
