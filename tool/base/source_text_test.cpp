#include "tool/base/source_text.h"

#include <gtest/gtest.h>

namespace shmem_bind {
namespace {

constexpr Rule kRule{"C014", "not a dtype", "use fp16"};
constexpr Rule kWarning{"C006", "unknown key", "", Severity::kWarning};

std::string printed(const std::string& text, size_t begin, size_t end) {
  SourceTexts sources;
  sources.add("design.md", text);
  return to_text({&kRule, {0, begin, end}, "fp61", {}}, sources);
}

TEST(SourceText, PrintsPlaceLineCaretAndWayOut) {
  EXPECT_EQ(printed("a: 1\ndtype: fp61\n", 12, 16),
            "design.md:2:8: error[C014]: not a dtype: fp61\n"
            "    dtype: fp61\n"
            "           ^~~~\n"
            "    way out: use fp16\n");
}

TEST(SourceText, CountsColumnsInCharactersAndPutsTheCaretUnderWideOnes) {
  const std::string line = "类型: x";
  EXPECT_EQ(printed(line, line.size() - 1, line.size()),
            "design.md:1:5: error[C014]: not a dtype: fp61\n"
            "    类型: x\n"
            "          ^\n"
            "    way out: use fp16\n");
}

TEST(SourceText, KeepsTabsBeforeTheCaret) {
  EXPECT_NE(printed("\tkey: x", 6, 7).find("    \tkey: x\n    \t     ^\n"), std::string::npos);
}

TEST(SourceText, StopsTheMarkAtTheEndOfTheLine) {
  EXPECT_NE(printed("ab\ncd\n", 1, 5).find("    ab\n     ^\n"), std::string::npos);
}

TEST(SourceText, ShowsBytesThatAreNoTextAsReplacementCharacters) {
  EXPECT_NE(printed("# \xd0\xd0\x01x", 2, 4)
                .find("    # \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\n      ^~\n"),
            std::string::npos);
  EXPECT_NE(printed("a \xe4\xb8", 0, 1).find("    a \xef\xbf\xbd\xef\xbf\xbd\n    ^\n"),
            std::string::npos);
}

TEST(SourceText, CutsLongLinesAroundTheMark) {
  const std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  const std::string text = printed(line, 500, 504);
  EXPECT_NE(text.find("…aaaa"), std::string::npos);
  EXPECT_NE(text.find("aHEREb"), std::string::npos);
  EXPECT_NE(text.find("bbb…\n"), std::string::npos);
  EXPECT_NE(text.find("\n" + std::string(4 + 1 + 120, ' ') + "^~~~\n"), std::string::npos);
}

TEST(SourceText, KnowsAllLineEnds) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    SourceTexts sources;
    sources.add("a", "one" + end + "two" + end + "three");
    const auto place = sources.place({0, 3 + end.size(), 5});
    EXPECT_EQ(place.line, 2u);
    EXPECT_EQ(place.column, 1u);
    EXPECT_EQ(place.line_text, "two");
  }
}

TEST(SourceText, BearsPlacesOutsideTheText) {
  EXPECT_EQ(printed("", 0, 0),
            "design.md:1:1: error[C014]: not a dtype: fp61\n    way out: use fp16\n");
  EXPECT_NE(printed("ab", 100, 200).find("design.md:1:3"), std::string::npos);
}

TEST(SourceText, ShowsRelatedPlaces) {
  SourceTexts sources;
  sources.add("design.md", "a: 1\na: 2\n");
  const std::string text =
      to_text({&kWarning, {0, 5, 6}, "a", {{{0, 0, 1}, "first here"}}}, sources);
  EXPECT_EQ(text,
            "design.md:2:1: warning[C006]: unknown key: a\n    a: 2\n    ^\n"
            "design.md:1:1: note: first here\n    a: 1\n    ^\n");
}

TEST(SourceText, GivesTheSameAsJson) {
  SourceTexts sources;
  sources.add("d.md", "a: \"x\"\n");
  Diagnostics diagnostics;
  diagnostics.add(kRule, {0, 3, 6}, "\"x\"").related.emplace_back(Span{0, 0, 1}, "key");
  EXPECT_TRUE(diagnostics.has_errors());
  const std::string json = to_json(diagnostics, sources);
  for (const char* part : {R"("code": "C014")",
                           R"("severity": "error")",
                           R"("file": "d.md")",
                           R"("line": 1)",
                           R"("column": 4)",
                           R"("detail": "\"x\"")",
                           R"("hint": "use fp16")",
                           R"("text": "key")"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  }
  Diagnostics warnings;
  warnings.add(kWarning, {0, 0, 1});
  EXPECT_FALSE(warnings.has_errors());
  EXPECT_EQ(to_json(Diagnostics{}, sources), "[]\n");
}

}  // namespace
}  // namespace shmem_bind
