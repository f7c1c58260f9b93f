#include "tool/contract/document.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

// --- Markdown ---

std::vector<FencedBlock> blocks_of(const std::string& text) {
  return fenced_blocks(text, 0);
}

std::string text_at(const std::string& text, const Span& span) {
  return text.substr(span.begin, span.end - span.begin);
}

TEST(Markdown, FindsFencesByMarkdownsRules) {
  const std::string text =
      "---\ntitle: x\n---\n\n~~~ YAML title=x\na: 1\n~~~\n\n````text\n```yaml\nb: 2\n```\n````\n\n"
      "    ```yaml\n    indented: code\n    ```\n\n<!--\n```yaml\nc: 3\n```\n-->\n";
  const auto blocks = blocks_of(text);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].language(), "yaml");
  EXPECT_EQ(blocks[0].text, "a: 1\n");
  EXPECT_EQ(blocks[1].info, "text") << "what stands in a longer fence is text";
}

TEST(Markdown, KeepsPlacesOfBlocksInListsAndQuotes) {
  const std::string text =
      "- item\n  1. inner\n\n     ```yaml\n     a: 1\n       b: 2\n     ```\n\n> ```yml\n> c: 3\n> "
      "```\n";
  const auto blocks = blocks_of(text);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].text, "a: 1\n  b: 2\n");
  EXPECT_EQ(text_at(text, blocks[0].places.span(0, 1)), "a");
  EXPECT_EQ(text_at(text, blocks[0].places.span(7, 8)), "b");
  EXPECT_EQ(text_at(text, blocks[1].places.span(0, 4)), "c: 3");
  EXPECT_TRUE(blocks[0].is_closed);
  EXPECT_TRUE(blocks[1].is_closed);
}

TEST(Markdown, SeesThatAFenceIsNotClosed) {
  EXPECT_FALSE(blocks_of("```yaml\na: 1\n").at(0).is_closed);
  EXPECT_FALSE(blocks_of("- x\n\n  ```yaml\n  a: 1\n\nno longer the item\n").at(0).is_closed);
  EXPECT_FALSE(blocks_of("````yaml\na: 1\n```\n").at(0).is_closed)
      << "a shorter fence closes nothing";
  EXPECT_TRUE(blocks_of("```yaml\n```").at(0).is_closed);
}

TEST(Markdown, GivesTheSameTextForAllLineEnds) {
  const std::string plain = "x\n\n```yaml\na: 1\nb: 2\n```\n";
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = replaced(plain, "\n", end);
    for (const std::string& document : {text, "\xef\xbb\xbf" + text}) {
      const auto blocks = blocks_of(document);
      ASSERT_EQ(blocks.size(), 1u);
      EXPECT_EQ(blocks[0].text, "a: 1\nb: 2\n");
      EXPECT_EQ(text_at(document, blocks[0].places.span(5, 6)), "b");
      EXPECT_TRUE(blocks[0].is_closed);
    }
  }
}

TEST(Markdown, SaysWhatIsNotUtf8) {
  Diagnostics diagnostics;
  EXPECT_TRUE(check_encoding("类型", 0, diagnostics));
  EXPECT_FALSE(check_encoding(std::string("\xff\xfe#\0", 4), 0, diagnostics));
  EXPECT_NE(diagnostics.list().back().detail.find("UTF-16"), std::string::npos);
  EXPECT_FALSE(check_encoding("\xc0\xe0\xd0\xcd", 0, diagnostics)) << "GBK";
  EXPECT_FALSE(check_encoding(std::string("a\0b", 3), 0, diagnostics));
  EXPECT_FALSE(check_encoding("a\xe7\xb1", 0, diagnostics)) << "cut off";
}

// --- YAML ---

YamlNode yaml(const std::string& text, Diagnostics& diagnostics) {
  return parse_yaml(text, PlaceMap(0, text), diagnostics);
}

YamlNode yaml(const std::string& text) {
  Diagnostics diagnostics;
  YamlNode root = yaml(text, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.list().front().detail;
  return root;
}

std::string yaml_complaint(const std::string& text) {
  Diagnostics diagnostics;
  yaml(text, diagnostics);
  EXPECT_TRUE(diagnostics.has_errors()) << text;
  return diagnostics.list().empty() ? "" : diagnostics.list()[0].detail;
}

TEST(Yaml, GuessesNoTypes) {
  const YamlNode root = yaml("a: no\nb: 0.30\nc: 1_000\nd: 0x10\non: yes\ne: 12:30\nf: \"true\"\n");
  EXPECT_EQ(root["a"].text, "no");
  EXPECT_EQ(root["b"].text, "0.30");
  EXPECT_EQ(root["c"].text, "1_000");
  EXPECT_EQ(root["d"].text, "0x10");
  EXPECT_EQ(root["on"].text, "yes");
  EXPECT_EQ(root["e"].text, "12:30");
  EXPECT_EQ(root["f"].text, "true");
}

TEST(Yaml, TellsNothingFromAnEmptyText) {
  const YamlNode root = yaml("a:\nb: ~\nc: ''\n");
  EXPECT_FALSE(root["a"].exists());
  EXPECT_FALSE(root["b"].exists());
  EXPECT_TRUE(root["c"].is_scalar());
  EXPECT_FALSE(root["none"]["deeper"].exists());
}

TEST(Yaml, KnowsWhereTextsStand) {
  const std::string text =
      "first: {name: input, shape: \"[rows, 'x']\"}\nlist:\n  - 'a b'\n  - \"q\\\"r\"\n";
  const YamlNode root = yaml(text);
  EXPECT_EQ(text_at(text, root["first"]["name"].span), "input");
  EXPECT_EQ(text_at(text, root["first"]["shape"].span), "[rows, 'x']") << "without the quotes";
  EXPECT_EQ(text_at(text, root["list"].items[0].span), "a b");
  EXPECT_EQ(text_at(text, root["list"].items[1].span), "q\\\"r");
  EXPECT_EQ(text_at(text, root.entries[1].key.span), "list");
}

TEST(Yaml, FindsKeysThatStandTwice) {
  Diagnostics diagnostics;
  const std::string text = "a: {x: 1, y: 2, x: 3}\n";
  yaml(text, diagnostics);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].rule->code, "C005");
  EXPECT_EQ(diagnostics.list()[0].span.begin, 16u);
  ASSERT_EQ(diagnostics.list()[0].related.size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].related[0].first.begin, 4u);
}

TEST(Yaml, RefusesBombs) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + "," + last + "," +
            last + "," + last + "]\n";
  }
  EXPECT_NE(yaml_complaint(text).find("too many"), std::string::npos);
  EXPECT_NE(yaml_complaint("a: " + std::string(200, '[') + std::string(200, ']')).find("nested"),
            std::string::npos);
  EXPECT_NE(yaml_complaint("a: &a [*a]\n").find("nested"), std::string::npos);
}

TEST(Yaml, RefusesWhatItWouldMisread) {
  EXPECT_NE(yaml_complaint("a: 1\n---\nb: 2\n").find("second document"), std::string::npos);
  EXPECT_NE(yaml_complaint("? [a, b]\n: 1\n").find("key"), std::string::npos);
  EXPECT_FALSE(yaml_complaint("a: [1, 2\nb: 3\n").empty());
  EXPECT_FALSE(yaml_complaint("a: *unknown\n").empty());
}

// yaml-cpp sees documents without end where one begins with a comma.
TEST(Yaml, EndsAtACommaOutsideAList) {
  for (const char* text :
       {",", ",a", ", a: 1\n", "---\n,dsl_meta\n", "\"a\" , b", "!x ,\n", "&a ,"}) {
    EXPECT_FALSE(yaml_complaint(text).empty()) << text;
  }
}

TEST(Yaml, PointsAtFullWidthPunctuation) {
  Diagnostics diagnostics;
  const std::string text = "a: 1\ndtypes：[fp16，bf16]\nb: 2\n";
  yaml(text, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.list()[0].rule->code, "C027");
  EXPECT_EQ(text_at(text, diagnostics.list()[0].span), "：");
}

// --- which block, and what can be seen without the header ---

TEST(Document, TakesTheOneCanonicalBlock) {
  const Read found = read(std::string("```yaml\ntopology: {group: all}\n```\n\n") + kGoodDesign);
  EXPECT_TRUE(found.contract.has_value()) << found.text();
  EXPECT_EQ(found.codes(), "");
}

TEST(Document, ReadsTheSameInEveryLineEndAndInAList) {
  const Read plain = read(kGoodDesign);
  ASSERT_TRUE(plain.contract.has_value());
  std::string indented = "1. The contract:\n\n";
  for (const std::string_view line : split_lines(kGoodDesign)) {
    indented.append("   ").append(line).append("\n");
  }
  for (const std::string& design : {replaced(kGoodDesign, "\n", "\r\n"),
                                    replaced(kGoodDesign, "\n", "\r"),
                                    "\xef\xbb\xbf" + std::string(kGoodDesign),
                                    replaced(kGoodDesign, "```", "~~~~"),
                                    indented}) {
    const Read other = read(design);
    ASSERT_TRUE(other.contract.has_value()) << other.text();
    EXPECT_EQ(other.contract->digest, plain.contract->digest);
  }
}

TEST(Document, ReportsAnExactPlaceInsideAnIndentedBlock) {
  const std::string broken = changed(kGoodDesign, "fp16", "fp61");
  std::string indented = "- contract\n\n";
  for (const std::string_view line : split_lines(broken)) {
    indented.append("  ").append(line).append("\r\n");
  }
  const Read found = read(indented);
  ASSERT_EQ(found.codes(), "C014") << found.text();
  EXPECT_EQ(text_at(indented, found.diagnostics.list()[0].span), "fp61");
}

TEST(Document, AsksForACanonicalBlock) {
  EXPECT_EQ(read("# nothing\n").codes(), "C002");
  EXPECT_NE(read("```yaml\na: 1\n```\n").text().find("line 1"), std::string::npos);
  EXPECT_EQ(read(replaced(kGoodDesign, "```yaml", "```text")).codes(), "C002");
  EXPECT_EQ(read("<!--\n" + std::string(kGoodDesign) + "-->\n").codes(), "C002");
}

TEST(Document, RefusesTwoCanonicalBlocksAndNamesBoth) {
  const Read found = read(std::string(kGoodDesign) + "\n" + kGoodDesign);
  EXPECT_EQ(found.codes(), "C003");
  EXPECT_NE(found.text().find("design.md:3:1: note"), std::string::npos) << found.text();
}

TEST(Document, RefusesABlockThatIsNotClosed) {
  EXPECT_EQ(read(changed(kGoodDesign, "n_pes\"\n```\n", "n_pes\"\n")).codes(), "C028");
}

TEST(Document, KnowsItsVersions) {
  EXPECT_EQ(read_changed("dsl_version: \"0.3\"\n", "").codes(), "C007");
  EXPECT_EQ(read_changed("\"0.3\"", "\"0.4\"").codes(), "C008");
  EXPECT_EQ(read_changed("\"0.3\"", "0.30").codes(), "C008");
}

TEST(Document, WarnsOfUnknownKeysInListedSectionsOnly) {
  const Read found = read_changed("  block_dim:", "  blok_dim: 1\n  block_dim:");
  EXPECT_EQ(found.codes(), "C006");
  EXPECT_NE(found.text().find("did you mean block_dim?"), std::string::npos);
  EXPECT_TRUE(found.contract.has_value()) << "a warning stops nothing";
  EXPECT_EQ(read_changed("role: payload", "rol: payload").codes(), "C006");
  EXPECT_EQ(read_changed("  oracle:", "  tolerance: {rtol: 0}\n  oracle:").codes(), "");
  EXPECT_EQ(read_changed("correctness:\n", "topology: {anything: goes}\ncorrectness:\n").codes(),
            "");
}

TEST(Document, RefusesSectionsOfTheWrongForm) {
  EXPECT_EQ(read_changed("status:\n", "status: []\nstatus_was:\n").codes(), "C009");
  EXPECT_EQ(read_changed("arguments: {gva: state, elements: \"numel(input)\", magic: epoch}",
                         "arguments: state")
                .codes(),
            "C009");
  EXPECT_EQ(read_changed("op_name: copy_rows", "op_name: [copy_rows]").codes(), "C009 C010");
}

TEST(Document, RefusesPlaceholdersAndLookAlikes) {
  EXPECT_EQ(read_changed("op_name: copy_rows", "op_name: replace_me").codes(), "C011");
  EXPECT_EQ(read_changed("block_dim: \"8\"", "block_dim: \"<8>\"").codes(), "C011");
  const Read found = read_changed("[rows, cols]", "[rows，cols]");
  EXPECT_EQ(found.codes(), "C027");
  EXPECT_NE(found.text().find("'，' for ','"), std::string::npos) << found.text();
  EXPECT_EQ(read_changed("role: payload", "role: 数据，按行").codes(), "") << "prose is free";
}

TEST(Document, RefusesOpNamesThatAreNoNames) {
  for (const char* name : {"all-gather",
                           "2d_shift",
                           "AllGather",
                           "_x",
                           "../copy_rows",
                           "a/b",
                           "operator",
                           "import",
                           "中文"}) {
    const Read found = read_changed("op_name: copy_rows", "op_name: \"" + std::string(name) + "\"");
    EXPECT_EQ(found.codes(), "C013") << name << "\n" << found.text();
  }
  EXPECT_EQ(read_changed("  op_name: copy_rows\n", "").codes(), "C010");
}

}  // namespace
}  // namespace shmem_bind::contract
