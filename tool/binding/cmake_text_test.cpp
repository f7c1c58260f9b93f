#include "tool/binding/cmake_text.h"

#include <gtest/gtest.h>

#include "tool/binding/cmake_lists.h"

namespace shmem_bind::binding {
namespace {

using Kind = CMakeArgument::Kind;

std::vector<std::string> values_of(const CMakeCommand& command) {
  std::vector<std::string> values;
  for (const CMakeArgument& argument : command.arguments) {
    values.push_back(argument.value);
  }
  return values;
}

// The arguments of the only command.
std::vector<std::string> values(std::string_view text) {
  const CMakeText parsed = parse_cmake(text);
  EXPECT_FALSE(parsed.mistake) << parsed.mistake->text;
  EXPECT_EQ(parsed.commands.size(), 1u);
  return parsed.commands.empty() ? std::vector<std::string>() : values_of(parsed.commands[0]);
}

std::string mistake(std::string_view text) {
  const CMakeText parsed = parse_cmake(text);
  return parsed.mistake ? std::to_string(parsed.mistake->at) + ": " + parsed.mistake->text : "none";
}

using Words = std::vector<std::string>;

TEST(CMakeText, NamesAreReadInLowerCase) {
  const CMakeText text = parse_cmake("SET(A b)\nAdd_Library (c)\n");
  ASSERT_EQ(text.commands.size(), 2u);
  EXPECT_EQ(text.commands[0].name, "set");
  EXPECT_EQ(text.commands[1].name, "add_library");
}

TEST(CMakeText, ArgumentsStandAnywhereBetweenTheParentheses) {
  EXPECT_EQ(values("set(A b\n  c\td\r\n)"), (Words{"A", "b", "c", "d"}));
  EXPECT_EQ(values("set()"), Words{});
}

TEST(CMakeText, QuotesKeepSpacesSemicolonsAndComments) {
  EXPECT_EQ(values(R"(set(A "b c; # no comment" d))"), (Words{"A", "b c; # no comment", "d"}));
  EXPECT_EQ(values("set(A \"b\\\nc\")"), (Words{"A", "bc"}));
  EXPECT_EQ(values(R"(set(A "\"\n\;\$"))"), (Words{"A", "\"\n\\;$"}));
}

TEST(CMakeText, BracketsKeepEverything) {
  EXPECT_EQ(values("set(A [[\n#\"\\ ]] [=[ ]] ]=])"), (Words{"A", "#\"\\ ", " ]] "}));
  EXPECT_EQ(values("set(A [=b [)"), (Words{"A", "[=b", "["}));
}

TEST(CMakeText, CommentsAreNoCommands) {
  const CMakeText text = parse_cmake(
      "# set(A b)\n#[[ set(A c)\n]] #[=[ ]] set(A d) ]=]\nset(A # set(\n  #[[ ) ]] e)  # end");
  ASSERT_EQ(text.commands.size(), 1u);
  EXPECT_EQ(values_of(text.commands[0]), (Words{"A", "e"}));
}

TEST(CMakeText, OldFormsOfUnquotedArgumentsAreOneArgument) {
  EXPECT_EQ(values(R"(set(A -Da="b c" $(MAKE) x${B}y))"),
            (Words{"A", "-Da=\"b c\"", "$(MAKE)", "x${B}y"}));
}

TEST(CMakeText, InnerParenthesesAreArguments) {
  const CMakeText text = parse_cmake("if((A)AND(B))\nendif()\n");
  ASSERT_FALSE(text.mistake);
  EXPECT_EQ(values_of(text.commands[0]), (Words{"(", "A", ")", "AND", "(", "B", ")"}));
  EXPECT_EQ(text.commands[0].arguments[0].kind, Kind::kParenthesis);
}

TEST(CMakeText, SpansCoverTheBytesThatStandThere) {
  const std::string source = "\xEF\xBB\xBF# c\n  set( A \"b c\" [[d]] )\n";
  const CMakeText text = parse_cmake(source);
  ASSERT_EQ(text.commands.size(), 1u);
  const CMakeCommand& set = text.commands[0];
  EXPECT_EQ(source.substr(set.begin, 4), "set(");
  EXPECT_EQ(source[set.open], '(');
  EXPECT_EQ(source[set.close], ')');
  const auto& quoted = set.arguments[1];
  EXPECT_EQ(source.substr(quoted.begin, quoted.end - quoted.begin), "\"b c\"");
  const auto& bracket = set.arguments[2];
  EXPECT_EQ(source.substr(bracket.begin, bracket.end - bracket.begin), "[[d]]");
}

TEST(CMakeText, ACommandKnowsTheBlocksAroundIt) {
  const CMakeText text = parse_cmake(
      "function(f)\n  if(A)\n    b()\n  else()\n    c()\n  endif()\nendfunction()\nd()\n");
  ASSERT_FALSE(text.mistake);
  EXPECT_EQ(text.commands[2].blocks, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(text.commands[4].blocks, (std::vector<size_t>{0, 1}));
  EXPECT_TRUE(text.commands[7].blocks.empty());
}

TEST(CMakeText, WhatCMakeRefusesIsAMistakeWithItsPlace) {
  EXPECT_EQ(mistake("set(A b"), "3: set( is not closed");
  EXPECT_EQ(mistake("set(A \"b)\n"), "6: a quote that is not closed");
  EXPECT_EQ(mistake("set(A [=[b]])\n"), "6: a bracket that is not closed by ]=]");
  EXPECT_EQ(mistake("set A"), "4: no '(' behind the name of a command");
  EXPECT_EQ(mistake("set(A) set(B)"), "7: two commands in one line");
  EXPECT_EQ(mistake("if(A)\nb()\n"), "0: if() without endif()");
  EXPECT_EQ(mistake("if(A)\nendforeach()\n"), "6: endforeach() closes nothing");
  EXPECT_EQ(mistake("set(A \\b)"), "6: a backslash in front of what needs none");
  EXPECT_EQ(mistake(")"), "0: not a command");
  EXPECT_EQ(mistake("#[[ open"), "1: a bracket that is not closed by ]]");
  EXPECT_EQ(mistake(""), "none");
}

TEST(CMakeText, ElementsOfAnUnquotedArgumentAreSplit) {
  const CMakeText text = parse_cmake(R"(set(A b;c;;d "e;f" [[g;h]] i\;j k[l;m]))");
  const auto& arguments = text.commands[0].arguments;
  EXPECT_EQ(list_elements(arguments[1]), (Words{"b", "c", "d"}));
  EXPECT_EQ(list_elements(arguments[2]), Words{"e;f"});
  EXPECT_EQ(list_elements(arguments[3]), Words{"g;h"});
  EXPECT_EQ(list_elements(arguments[4]), Words{"i;j"});
  EXPECT_EQ(list_elements(arguments[5]), Words{"k[l;m]"});
}

TEST(CMakeText, WritersOfAVariableAreFoundAndNothingElse) {
  const CMakeText text = parse_cmake(
      "set(X a)\nset(Y X)\n# set(X b)\nset(Z \"set(X c)\")\nif(X)\n  list(APPEND X d)\nendif()\n"
      "list(LENGTH X n)\nset(\"X\" e CACHE INTERNAL \"\")\nset(XX f)\n");
  EXPECT_EQ(writers_of(text, "X"), (std::vector<size_t>{0, 4, 7}));
}

}  // namespace
}  // namespace shmem_bind::binding
