#include "tool/cli/lint_tree.h"

#include <gtest/gtest.h>

namespace shmem_bind::cli {
namespace {

class NoPython : public ProcessRunner {
 public:
  ProcessResult run(const Command& command, const std::function<void(std::string_view)>&) override {
    words = command.words;
    ProcessResult result;
    result.exit_code = 127;
    return result;
  }
  std::vector<std::string> words;
};

TEST(LintTree, SaysThatPythonIsMissing) {
  MemoryFileSystem files;
  files.files["/tree/custom-ops/a/scripts/torch_test_a.py"] = "pass\n";
  NoPython runner;
  const auto tree = read_lint_tree("/tree", files, runner);
  ASSERT_FALSE(tree.ok());
  EXPECT_NE(tree.failure().text.find("was not found"), std::string::npos);
  EXPECT_NE(tree.failure().text.find("set PYTHON"), std::string::npos);
  EXPECT_EQ(runner.words.back(), "/tree/custom-ops/a/scripts/torch_test_a.py");
}

TEST(LintTree, NeedsNoPythonWithoutScripts) {
  MemoryFileSystem files;
  files.files["/tree/custom-ops/torch_binding/src/a.cpp"] = "int x;\n";
  files.files["/tree/custom-ops/a/src/a_kernel.cpp"] = "int x;\n";
  files.files["/tree/build/CMakeCache.txt"] = "";
  files.files["/tree/build/torch_binding/x.cpp"] = "int x;\n";
  files.files["/tree/.hidden/torch_binding/x.cpp"] = "int x;\n";
  NoPython runner;
  const auto tree = read_lint_tree("/tree", files, runner);
  ASSERT_TRUE(tree.ok());
  EXPECT_TRUE(runner.words.empty());
  EXPECT_EQ(tree.value().file_count, 2);
  ASSERT_EQ(tree.value().facts.cpp.size(), 1U);  // kernels are no bindings
  EXPECT_EQ(tree.value().facts.cpp[0].path, "/tree/custom-ops/torch_binding/src/a.cpp");
}

}  // namespace
}  // namespace shmem_bind::cli
