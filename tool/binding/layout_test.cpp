#include "tool/binding/layout.h"

#include <gtest/gtest.h>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

TEST(Layout, KeepsAShortCallOnALine) {
  EXPECT_EQ(call(2, "check", {"a", "b"}), "  check(a, b);\n");
}

TEST(Layout, PutsOneArgumentOnALineWhenTheyDoNotFit) {
  const std::string long_name(60, 'x');
  EXPECT_EQ(call(2, "check", {long_name, long_name}),
            "  check(" + long_name + ",\n        " + long_name + ");\n");
}

TEST(Layout, BreaksOnceWhenThatIsEnoughForManyArguments) {
  const std::string name(20, 'x');
  const std::string head(40, 'h');
  EXPECT_EQ(call(0, head, {name, name, name, name}),
            head + "(\n    " + name + ", " + name + ", " + name + ", " + name + ");\n");
}

TEST(Layout, BreaksAnInnerListOnlyBetweenItsItems) {
  const std::string item(50, 'i');
  const std::string text = call(0, "f", {"A", "(\"a, b\", " + item + ", g(1, 2), " + item + ")"});
  EXPECT_NE(text.find("(\"a, b\",\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" g(1, 2),\n"), std::string::npos) << text;
}

TEST(Layout, KeepsListsWholeInACallOfLists) {
  EXPECT_EQ(call_of_lists("R", {"A", "(b)"}), "R(A, (b));\n");
  const std::string list = "(" + std::string(60, 'x') + ")";
  EXPECT_EQ(call_of_lists("REGISTER", {"A", list, list}),
            "REGISTER(A,\n         " + list + ",\n         " + list + ");\n");
  const std::string wide = "(" + std::string(90, 'x') + ")";
  EXPECT_EQ(call_of_lists("REGISTER", {"A", wide, "(c)"}),
            "REGISTER(\n    A,\n    " + wide + ",\n    (c));\n");
}

TEST(Layout, AssignsOnTheNextLineWhenTheValueIsLong) {
  const std::string value(90, 'v');
  EXPECT_EQ(assignment(2, "target", value), "  target =\n      " + value + ";\n");
  EXPECT_EQ(assignment(2, "target", "1"), "  target = 1;\n");
}

TEST(Layout, GuardsWhatNoBreakMakesShortEnough) {
  const std::string value(120, 'v');
  const std::string text = assignment(2, "target", value);
  EXPECT_TRUE(text.starts_with("  // clang-format off\n")) << text;
  EXPECT_TRUE(text.ends_with("  // clang-format on\n")) << text;
}

TEST(Layout, NeverLeavesALineTooLongUnguarded) {
  for (size_t width = 1; width < 120; ++width) {
    const std::string text = declaration(2, "void compute", {std::string(width, 'p'), "b"}, ") {");
    if (text.find("clang-format off") != std::string::npos) {
      continue;
    }
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(line.size(), kColumns) << text;
    }
  }
}

}  // namespace
}  // namespace shmem_bind::binding
