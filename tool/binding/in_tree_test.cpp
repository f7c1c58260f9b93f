#include "tool/binding/in_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tool/base/text.h"
#include "tool/binding/cmake_lists.h"
#include "tool/binding/cpp_source.h"
#include "tool/binding/shared_region.h"
#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

using Action = PlannedFile::Action;

constexpr const char* kExamples = "examples/CMakeLists.txt";
constexpr const char* kBinding = "examples/torch_binding/CMakeLists.txt";
constexpr const char* kHeader = "examples/torch_binding/include/shmem_torch_kernel.h";
constexpr const char* kBindings = "examples/torch_binding/src/torch_bindings.cpp";
constexpr const char* kRegister = "examples/torch_binding/include/torch_register.h";

// An operator of that name.
contract::Contract contract_of(const std::string& op) {
  std::string design =
      contract::changed(contract::kGoodDesign, "independent_project", "in_tree_example");
  design = contract::changed(design, "custom-ops/copy_rows", "examples/copy_rows");
  const contract::Read read = contract::read(replaced(design, "copy_rows", op),
                                             replaced(contract::kGoodHeader, "copy_rows", op));
  EXPECT_TRUE(read.contract.has_value()) << read.text();
  return read.contract.value_or(contract::Contract{});
}

// A tree with a foreign operator, laid out as public ones are: functions fill the list.
Texts public_tree() {
  return {
      {kExamples,
       "set(ACLSHMEM_ALL_KERNEL_TARGETS \"\" CACHE INTERNAL \"kernels\")\n\n"
       "set(PYEXPAND_SUPPORTED_TORCH\n    other\n)  # names\n\n"
       "function(add_example NAME)\n"
       "    list(APPEND ACLSHMEM_ALL_KERNEL_TARGETS ${NAME}_kernel)\n"
       "    set(ACLSHMEM_ALL_KERNEL_TARGETS ${ACLSHMEM_ALL_KERNEL_TARGETS} CACHE INTERNAL \"\")\n"
       "endfunction()\n\nforeach(EXAMPLE\n    other\n)\n    add_subdirectory(${EXAMPLE})\n"
       "endforeach()\n\nif(PYEXPAND_EXAMPLE)\n    add_subdirectory(torch_binding)\nendif()\n"},
      {kBinding,
       "# add_library(aclshmem_torch)\nadd_library(aclshmem_torch SHARED\n"
       "    src/torch_bindings.cpp\n)\ninstall(TARGETS aclshmem_torch DESTINATION lib)"},
      {kHeader,
       "/* licence */\n#ifndef GUARD_H\n#define GUARD_H\nnamespace K { void f(); }\n"
       "#endif // GUARD_H"},
      {kBindings, "// torch\nclass Manager : public torch::jit::CustomClassHolder {\n};\n"},
      {kRegister, "#define REGISTER_SHMEM_OPS_CLASS(C, ...)\n"},
      {"examples/copy_rows/CMakeLists.txt", "add_example(copy_rows)\n"},
      {"examples/more_rows/CMakeLists.txt", "add_example(more_rows)\n"}};
}

// The tree after the plan was written.
Texts written(const Texts& tree, const TreePlan& plan) {
  EXPECT_TRUE(plan.problems.empty()) << (plan.problems.empty() ? "" : plan.problems[0].text);
  Texts result = tree;
  for (const auto& [path, file] : plan.plan) {
    EXPECT_NE(file.action, Action::kConflict) << path << ": " << file.reason;
    result[path] = file.text;
  }
  return result;
}

std::string foreign(const std::string& path, std::string text) {
  for (const char* region : {"kernel_folders", "kernel_targets", "sources", "declarations"}) {
    text = foreign_text(text, {region, path.ends_with(".h") ? "//" : "#", 0});
  }
  return text;
}

std::string problems_of(const Texts& tree) {
  std::string text;
  for (const TreeProblem& problem : plan_in_tree(contract_of("copy_rows"), tree).problems) {
    text += fmt::format("{}:{}: {}\n", problem.path, problem.at, problem.text);
  }
  return text;
}

bool holds(const Texts& tree, const char* path, std::string_view text) {
  return tree.at(path).find(text) != std::string::npos;
}

TEST(InTree, EveryForeignByteStays) {
  const Texts before = public_tree();
  Texts after = written(before, plan_in_tree(contract_of("copy_rows"), before));
  after = written(after, plan_in_tree(contract_of("more_rows"), after));
  for (const auto& [path, text] : before) {
    EXPECT_EQ(foreign(path, after.at(path)), text) << path;
  }
  for (const char* untouched : {kBindings, kRegister, "examples/copy_rows/CMakeLists.txt"}) {
    EXPECT_EQ(after.at(untouched), before.at(untouched));
  }
  for (const char* touched : {kExamples, kBinding, kHeader}) {
    EXPECT_NE(after.at(touched), before.at(touched));
  }
}

TEST(InTree, ASecondRunChangesNothing) {
  const Texts once = written(public_tree(), plan_in_tree(contract_of("copy_rows"), public_tree()));
  for (const auto& [path, file] : plan_in_tree(contract_of("copy_rows"), once).plan) {
    EXPECT_EQ(file.action, Action::kUnchanged) << path;
  }
}

TEST(InTree, TheKernelJoinsTheListBehindTheTreesOwnNames) {
  const Texts after = written(public_tree(), plan_in_tree(contract_of("copy_rows"), public_tree()));
  EXPECT_TRUE(holds(after, kExamples, ")  # names\n# shmem-bind: kernel_targets begin\n"));
  EXPECT_TRUE(holds(after, kExamples, "\nlist(APPEND PYEXPAND_SUPPORTED_TORCH copy_rows)\n"));
  EXPECT_TRUE(holds(after,
                    kExamples,
                    "\nadd_subdirectory(copy_rows)\n# shmem-bind: kernel_folders end\n"
                    "if(PYEXPAND_EXAMPLE)\n"));
}

TEST(InTree, APlainListIsAppendedToWhereverItIsSet) {
  Texts tree = public_tree();
  tree[kExamples] = "add_subdirectory(torch_binding)\n";
  tree[kBinding] =
      "set(ACLSHMEM_ALL_KERNEL_TARGETS a_kernel)\n# set(ACLSHMEM_ALL_KERNEL_TARGETS)\n"
      "add_library(aclshmem_torch SHARED src/torch_bindings.cpp)\n";
  Texts after = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  EXPECT_TRUE(after.at(kBinding).starts_with(
      "set(ACLSHMEM_ALL_KERNEL_TARGETS a_kernel)\n# shmem-bind: kernel_targets begin\n"));
  EXPECT_TRUE(
      holds(after, kBinding, "\nlist(APPEND ACLSHMEM_ALL_KERNEL_TARGETS copy_rows_kernel)\n"));

  tree[kBinding] = public_tree()[kBinding];
  tree["CMakeLists.txt"] = "set(ACLSHMEM_ALL_KERNEL_TARGETS a CACHE INTERNAL \"k\")\n";
  after = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  EXPECT_TRUE(holds(after,
                    "CMakeLists.txt",
                    "set(ACLSHMEM_ALL_KERNEL_TARGETS ${ACLSHMEM_ALL_KERNEL_TARGETS} "
                    "copy_rows_kernel CACHE INTERNAL"));
}

TEST(InTree, WhatTheTreeSaysAlreadyIsNotSaidAgain) {
  Texts tree = public_tree();
  tree[kExamples] = replaced(tree[kExamples], "    other\n", "    other;copy_rows\n");
  const Texts after = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  EXPECT_EQ(after.at(kExamples), tree[kExamples]);
}

TEST(InTree, WhatTheTreeSaysSinceThenIsTakenBack) {
  Texts tree = written(public_tree(), plan_in_tree(contract_of("copy_rows"), public_tree()));
  EXPECT_TRUE(holds(tree, kExamples, "add_subdirectory(copy_rows)"));
  tree[kExamples] = replaced(tree[kExamples], "    other\n", "    other\n    copy_rows\n");
  const Texts after = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  EXPECT_EQ(after.at(kExamples),
            replaced(public_tree()[kExamples], "    other\n", "    other\n    copy_rows\n"));
}

TEST(InTree, AManagerIsAddedOnlyWhenTheTreeHasNone) {
  const char* own = "examples/torch_binding/src/torch_bind_manager.cpp";
  Texts tree = public_tree();
  EXPECT_FALSE(plan_in_tree(contract_of("copy_rows"), tree).plan.contains(own));
  tree[kBindings] = "// class Manager {};\nconst char* text = \"class Manager {\";\n";
  const Texts after = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  EXPECT_TRUE(after.contains(own));
  EXPECT_TRUE(holds(after, kBinding, "src/torch_bind_manager.cpp)"));
}

TEST(InTree, TwoManagersAreRefused) {
  Texts tree = public_tree();
  tree[kBindings] = "";
  tree = written(tree, plan_in_tree(contract_of("copy_rows"), tree));
  tree[kBindings] = public_tree()[kBindings];
  EXPECT_EQ(
      problems_of(tree),
      "examples/torch_binding/src/torch_bind_manager.cpp:0: the tree has a Manager of its own "
      "now: two would be registered\n");
}

TEST(InTree, OurClassesDoNotUseTheTreesMacro) {
  const Texts after = written(public_tree(), plan_in_tree(contract_of("copy_rows"), public_tree()));
  const char* source = "examples/torch_binding/src/torch_bind_copy_rows.cpp";
  EXPECT_TRUE(holds(after, source, "#include \"shmem_ops_register.h\""));
  EXPECT_FALSE(holds(after, source, "#include \"torch_register.h\""));
  EXPECT_TRUE(after.contains("examples/torch_binding/include/shmem_ops_register.h"));
}

TEST(InTree, AHandEditInOurLinesIsAConflict) {
  Texts tree = written(public_tree(), plan_in_tree(contract_of("copy_rows"), public_tree()));
  tree[kBinding] = replaced(tree[kBinding], "-std=c++20", "-std=c++23");
  const TreePlan plan = plan_in_tree(contract_of("copy_rows"), tree);
  EXPECT_EQ(plan.plan.at(kBinding).action, Action::kConflict);
  EXPECT_NE(plan.plan.at(kBinding).reason.find("edited by hand"), std::string::npos);
  EXPECT_EQ(plan_in_tree(contract_of("more_rows"), tree).plan.at(kBinding).action, Action::kUpdate);
}

// What is wrong when one file of the tree holds another text.
std::string changed(const char* path, std::string text) {
  Texts tree = public_tree();
  tree[path] = std::move(text);
  return problems_of(tree);
}

TEST(InTree, AnEmptyTreeIsRefusedWithAllThatIsMissing) {
  EXPECT_EQ(problems_of({}),
            "examples/copy_rows/CMakeLists.txt:0: the file is missing: it makes the kernel library "
            "copy_rows_kernel\n"
            "examples/torch_binding/CMakeLists.txt:0: the file is missing: examples/torch_binding "
            "is the tree's Torch binding\n"
            "examples/CMakeLists.txt:0: the file is missing: it adds the example folders\n"
            "examples/torch_binding/include/shmem_torch_kernel.h:0: the file is missing: it "
            "declares the kernels\n");
}

TEST(InTree, ATreeThatCannotBeJoinedIsRefusedWithTheReason) {
  EXPECT_EQ(changed(kBinding, "# add_library(aclshmem_torch)\n"),
            "examples/torch_binding/CMakeLists.txt:0: add_library(aclshmem_torch …) does not stand "
            "in it\n");
  EXPECT_EQ(changed(kBinding, "add_library(aclshmem_torch"),
            "examples/torch_binding/CMakeLists.txt:11: add_library( is not closed\n");
  EXPECT_EQ(changed(kExamples, "add_subdirectory(torch_binding)\n"),
            "examples/CMakeLists.txt:0: no CMake file of the tree sets "
            "ACLSHMEM_ALL_KERNEL_TARGETS\n");
  EXPECT_EQ(changed(kExamples, "set(ACLSHMEM_ALL_KERNEL_TARGETS a)\n"),
            "examples/CMakeLists.txt:0: add_subdirectory(torch_binding) does not stand in it\n");
}

TEST(InTree, APlaceThatTakesNoLineIsRefused) {
  EXPECT_EQ(changed(kHeader, "// shmem-bind: declarations begin\n"),
            "examples/torch_binding/include/shmem_torch_kernel.h:0: the marks of its region "
            "declarations do not fit together: one line `shmem-bind: declarations begin`, and one "
            "`shmem-bind: declarations end` behind it\n");
  EXPECT_EQ(changed(kExamples,
                    "set(ACLSHMEM_ALL_KERNEL_TARGETS a) #[[ more\n]]\n"
                    "add_subdirectory(torch_binding)\n"),
            "examples/CMakeLists.txt:44: no line can be added here\n");
}

TEST(CppSource, CommentsAndLiteralsAreNoCode) {
  EXPECT_EQ(code_only("a // b\nc /* d\n */ e"), "a     \nc     \n    e");
  EXPECT_EQ(code_only("f(\"a\\\"b\", 'c', 1'000)"), "f(      ,    , 1'000)");
  EXPECT_EQ(code_only("R\"x(a)\" b)x\" c"), "             c");
  EXPECT_EQ(code_only("\"open\nb"), "     \nb");
}

TEST(CppSource, AManagerIsADefinitionOrARegistration) {
  EXPECT_TRUE(defines_manager("class Manager : public Base<int> {"));
  EXPECT_TRUE(defines_manager("struct Manager\n{"));
  EXPECT_TRUE(defines_manager("REGISTER_SHMEM_OPS_CLASS(Manager, finalize);"));
  EXPECT_FALSE(defines_manager("class Manager;"));
  EXPECT_FALSE(defines_manager("class ManagerOfAll {};"));
  EXPECT_FALSE(defines_manager("// class Manager {"));
}

TEST(CppSource, DeclarationsGoInsideTheGuard) {
  const std::string guarded = "// c\n#ifndef A\n#define A\nint a;\n#endif /* A\n*/\n";
  EXPECT_EQ(declarations_place(guarded), guarded.find("#endif"));
  const std::string once = "#pragma once\n#if B\nint b;\n#endif\n";
  EXPECT_EQ(declarations_place(once), once.size());
  EXPECT_EQ(declarations_place(""), 0u);
}

}  // namespace
}  // namespace shmem_bind::binding
