#include "tool/base/text.h"

#include <gtest/gtest.h>

#include "tool/base/line_diff.h"

namespace shmem_bind {
namespace {

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("blok_dim", {"state", "block_dim", "n_pes"}), "block_dim");
  EXPECT_EQ(nearest_name("stat", {"status", "state"}), "state");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("topology", {"state", "block_dim"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(Text, SplitsLinesOfAllKinds) {
  EXPECT_EQ(split_lines("a\r\nb\n\nc"), (std::vector<std::string_view>{"a", "b", "", "c"}));
  EXPECT_TRUE(split_lines("").empty());
}

TEST(Text, TrimsJoinsAndReplaces) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("  "), "");
  EXPECT_EQ(joined({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(replaced("aaa", "a", "aa"), "aaaaaa");
}

TEST(Text, KnowsIdentifiers) {
  for (const char* good : {"a", "_x", "a1_B"}) {
    EXPECT_TRUE(is_identifier(good)) << good;
  }
  for (const char* bad : {"", "1a", "a-b", "a b", "名"}) {
    EXPECT_FALSE(is_identifier(bad)) << bad;
  }
}

TEST(Digest, TellsTextsApart) {
  EXPECT_EQ(digest(""), "cbf29ce484222325");   // FNV-1a's offset basis
  EXPECT_EQ(digest("a"), "af63dc4c8601ec8c");  // published test vector
  EXPECT_NE(digest("ab"), digest("ba"));
}

TEST(LineDiff, IsEmptyForEqualTexts) {
  EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), "");
}

TEST(LineDiff, ShowsAChangeWithThreeLinesAround) {
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, ShowsDistantChangesAsTwoHunks) {
  const std::string diff =
      line_diff("a\n1\n2\n3\n4\n5\n6\n7\n8\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\n8\nB\n");
  EXPECT_EQ(diff, "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-b\n+B\n");
}

TEST(LineDiff, ShowsNewAndRemovedTexts) {
  EXPECT_EQ(line_diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(line_diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
}

TEST(LineDiff, KeepsWhatIsCommon) {
  EXPECT_EQ(line_diff("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n"),
            "@@ -1,4 +1,5 @@\n a\n-b\n+x\n c\n+y\n d\n");
}

}  // namespace
}  // namespace shmem_bind
