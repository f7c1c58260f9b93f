#include "tool/binding/shared_region.h"

#include <gtest/gtest.h>

namespace shmem_bind::binding {
namespace {

const std::vector<std::string> kLines = {"line 1", "line 2"};

RegionPlace place_at(size_t at) {
  return {"sources", "#", at};
}

// Texts that a foreign file may be: line ends of both kinds, no last line end, nothing at all.
const std::vector<std::string> kForeignTexts = {"",
                                                "a\n",
                                                "a\nb",
                                                "a\r\nb\r\n",
                                                "a\r\nb",
                                                "a\r",
                                                "a\nb\r",
                                                "a\r\nb\r\r",
                                                "\n\n",
                                                "# shmem-bind: sources\n",
                                                "\xEF\xBB\xBF a\n"};

void expect_kept(const std::string& text) {
  const RegionPlace place = place_at(text.size());
  const RegionEdit added = with_entry(text, place, "copy_rows", kLines);
  EXPECT_EQ(added.obstacle, "");
  EXPECT_TRUE(added.text.starts_with(text));
  EXPECT_GT(added.text.size(), text.size());
  EXPECT_EQ(foreign_text(added.text, place), text);
  EXPECT_EQ(without_entry(added.text, place, "copy_rows").text, text);
  EXPECT_EQ(with_entry(added.text, place, "copy_rows", kLines).text, added.text);
}

TEST(SharedRegion, EveryForeignByteStaysAndComesBack) {
  for (const std::string& text : kForeignTexts) {
    expect_kept(text);
  }
}

TEST(SharedRegion, ARegionInTheMiddleKeepsBothSides) {
  const std::string text = "a\nb\n";
  const std::string added = with_entry(text, place_at(2), "copy_rows", {"x"}).text;
  EXPECT_TRUE(added.starts_with("a\n# shmem-bind: sources begin\n# operator copy_rows, text "));
  EXPECT_TRUE(added.ends_with("\nx\n# shmem-bind: sources end\nb\n"));
  EXPECT_EQ(without_entry(added, place_at(0), "copy_rows").text, text);
}

TEST(SharedRegion, WritingTwiceChangesNothing) {
  const std::string once = with_entry("a", place_at(1), "copy_rows", kLines).text;
  EXPECT_EQ(with_entry(once, place_at(once.size()), "copy_rows", kLines).text, once);
}

TEST(SharedRegion, OperatorsStandInTheirOrderWhateverCameFirst) {
  const std::string one =
      with_entry(with_entry("a\n", place_at(2), "b_op", kLines).text, place_at(0), "a_op", {"y"})
          .text;
  const std::string other =
      with_entry(with_entry("a\n", place_at(2), "a_op", {"y"}).text, place_at(0), "b_op", kLines)
          .text;
  EXPECT_EQ(one, other);
  EXPECT_EQ(without_entry(one, place_at(0), "b_op").text,
            with_entry("a\n", place_at(2), "a_op", {"y"}).text);
}

TEST(SharedRegion, TheLineEndsAreThoseOfTheFile) {
  const std::string added = with_entry("a\r\n", place_at(3), "copy_rows", kLines).text;
  EXPECT_EQ(added.find("line 1\r\nline 2\r\n") == std::string::npos, false);
}

TEST(SharedRegion, AHandEditIsAnObstacle) {
  std::string text = with_entry("a\n", place_at(2), "copy_rows", kLines).text;
  text.replace(text.find("line 2"), 6, "line 3");
  EXPECT_EQ(with_entry(text, place_at(0), "copy_rows", {"other"}).obstacle,
            "the lines of copy_rows in its region sources were edited by hand");
  EXPECT_NE(without_entry(text, place_at(0), "copy_rows").obstacle, "");
  EXPECT_EQ(with_entry(text, place_at(0), "other_op", {"other"}).obstacle, "");
}

TEST(SharedRegion, AHandEditThatSaysWhatWeSayIsNone) {
  std::string text = with_entry("a\n", place_at(2), "copy_rows", kLines).text;
  text.replace(text.find("line 2"), 6, "line 3");
  EXPECT_EQ(with_entry(text, place_at(0), "copy_rows", {"line 1", "line 3"}).obstacle, "");
}

TEST(SharedRegion, LinesOfNobodyAreAnObstacle) {
  const std::string text = "# shmem-bind: sources begin\nmine\n# shmem-bind: sources end\n";
  EXPECT_EQ(with_entry(text, place_at(0), "copy_rows", kLines).obstacle,
            "lines that belong to no operator stand in its region sources");
}

TEST(SharedRegion, MarksThatDoNotFitTogetherAreLeftAlone) {
  for (const char* text : {"# shmem-bind: sources begin\n",
                           "# shmem-bind: sources end\n",
                           "# shmem-bind: sources begin\n# shmem-bind: sources end\n"
                           "# shmem-bind: sources begin\n# shmem-bind: sources end\n"}) {
    const RegionEdit edit = with_entry(text, place_at(0), "copy_rows", kLines);
    EXPECT_TRUE(edit.is_broken) << text;
    EXPECT_EQ(edit.text, text);
    EXPECT_NE(edit.obstacle.find("do not fit together"), std::string::npos);
  }
}

}  // namespace
}  // namespace shmem_bind::binding
