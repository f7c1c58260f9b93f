#include "tool/lint/shell_file.h"

#include <gtest/gtest.h>

namespace shmem_bind::lint {
namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (const ShellWord& word : read_shell(text).words) {
    words.push_back(word.text);
  }
  return words;
}

TEST(ShellFile, ResolvesQuotesAndLeavesOutComments) {
  EXPECT_EQ(words_in("#!/bin/sh\nexport A='x y'\"z\\\"\" # B=1\nrun b#c;wait&\n"),
            (std::vector<std::string>{"export", "A=x yz\"", "run", "b#c", "wait"}));
  EXPECT_EQ(words_in("a\\ b \\"), (std::vector<std::string>{"a b", ""}));
}

TEST(ShellFile, KeepsPlaces) {
  const std::string text = "  x=\"1 2\"; y\n";
  const ShellFile file = read_shell(text);
  ASSERT_EQ(file.words.size(), 2U);
  EXPECT_EQ(text.substr(file.words[0].begin, file.words[0].end - file.words[0].begin), "x=\"1 2\"");
}

TEST(ShellFile, EndsWithQuotesThatDoNot) {
  EXPECT_EQ(words_in("a 'b c"), (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(words_in("\"\\"), (std::vector<std::string>{"\\"}));
  EXPECT_TRUE(words_in("").empty());
}

}  // namespace
}  // namespace shmem_bind::lint
