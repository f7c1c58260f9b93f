#include "tool/lint/python_file.h"

#include <gtest/gtest.h>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/lint/test_script.h"

namespace shmem_bind::lint {
namespace {

// Asks the Python of this machine, as the command does.
PythonFile facts_of(const std::string& text) {
  const std::string folder = temporary_folder("shmem-bind-lint-");
  RealFileSystem files;
  RealProcessRunner runner;
  EXPECT_TRUE(files.write(folder + "/x.py", text, false).ok());
  const ProcessResult result = runner.run(
      {{"python3", "-I", "-X", "utf8", "-W", "ignore", "-c", python_program(), folder + "/x.py"},
       {},
       "",
       {}},
      {});
  EXPECT_TRUE(result.ok()) << result.output;
  remove_tree(folder);
  const auto read = read_python_facts(result.output);
  EXPECT_TRUE(read.ok());
  return read.ok() && read.value().size() == 1 ? read.value()[0] : PythonFile{};
}

TEST(PythonFile, TellsCallsWithTheirPlaces) {
  const std::string text = "\"\"\"用法\"\"\"\nx = 1\nprint('中', f(x, key=y))\n";
  const PythonFile file = facts_of(text);
  ASSERT_EQ(file.calls.size(), 2U);
  EXPECT_EQ(file.calls[0].name, "print");
  EXPECT_TRUE(file.calls[0].is_statement);
  EXPECT_EQ(file.calls[1].name, "f");
  EXPECT_FALSE(file.calls[1].is_statement);
  EXPECT_EQ(
      text.substr(file.calls[1].place.begin, file.calls[1].place.end - file.calls[1].place.begin),
      "f(x, key=y)");
  EXPECT_EQ(file.calls[1].argument("key")->names, std::vector<std::string>{"y"});
  ASSERT_EQ(file.strings.size(), 1U);  // not the docstring
  EXPECT_EQ(file.strings[0].text, "中");
}

TEST(PythonFile, TellsGlobalsFromLocals) {
  const PythonFile file = facts_of(
      "N = 8\ndef inner(n):\n    k = N\n    return helper(k + n)\ndef helper(v):\n    return v\n"
      "if __name__ == '__main__':\n    N = 2\n    inner(N)\n");
  EXPECT_EQ(file.function("inner")->used, (std::vector<std::string>{"N", "helper"}));
  EXPECT_TRUE(file.function("helper")->used.empty());
  EXPECT_EQ(file.set_in_module.size(), 1U);
  EXPECT_EQ(file.set_under_main.size(), 1U);
  EXPECT_EQ(reached_from(file, {"inner"}), (std::set<std::string>{"helper", "inner"}));
}

TEST(PythonFile, TellsAMistake) {
  const PythonFile file = facts_of("x = 1\ndef (:\n");
  EXPECT_FALSE(file.mistake.empty());
  EXPECT_EQ(file.mistake_at.begin, 10U);
}

TEST(PythonFile, RefusesAnAnswerOfAnotherForm) {
  EXPECT_FALSE(read_python_facts("Traceback").ok());
  EXPECT_FALSE(read_python_facts("[{\"calls\": 1}]").ok());
  EXPECT_TRUE(read_python_facts("[]").ok());
}

}  // namespace
}  // namespace shmem_bind::lint
