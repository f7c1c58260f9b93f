#include "tool/contract/explanation.h"

#include <gtest/gtest.h>

#include <map>

#include "tool/contract/rules.h"
#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

struct Texts {
  std::string design = kGoodDesign;
  std::string header = kGoodHeader;
};

void add_cases(Texts& texts, const std::string& shape) {
  texts.design = changed(texts.design,
                         "  oracle: all_gather\n",
                         "  oracle: all_gather\n  case_matrix:\n    - {case: small, shape: \"" +
                             shape + "\", category: functional}\n");
}

void add_to_binding(Texts& texts, const std::string& line) {
  texts.design = changed(texts.design, "  block_dim", line + "\n  block_dim");
}

// What a good operator must have beside the usual for a rule's example to stand in it.
Texts good_for(std::string_view code) {
  using Change = void (*)(Texts&);
  static const std::map<std::string_view, Change> changes = {
      {"C017",
       [](Texts& texts) {
         texts.design = changed(texts.design,
                                "  state: \"4096 * n_pes\"",
                                "  max: {rows: 4096}\n  state: \"4 * rows * n_pes\"");
       }},
      {"C025", [](Texts& texts) { add_cases(texts, "[64, 32]"); }},
      {"H003", [](Texts& texts) { add_to_binding(texts, "  entry: Kernels::copy_rows_kernel"); }},
      {"H004",
       [](Texts& texts) {
         add_to_binding(texts, "  entry: \"copy_rows_kernel(uint32_t, void*, ...)\"");
         texts.header += "namespace Kernels { template <class T> void copy_rows_kernel(int); }\n";
       }},
      {"H011",
       [](Texts& texts) {
         texts.design = changed(texts.design, "gva: state, ", "");
         texts.design = changed(texts.design, "  state: \"4096 * n_pes\"\n", "");
         texts.header = changed(texts.header, "uint8_t* gva, ", "");
       }},
      {"H012",
       [](Texts& texts) {
         texts.design = changed(texts.design, "magic: epoch", "magic: epoch, block_dim: block_dim");
       }},
      {"H015", [](Texts& texts) { add_to_binding(texts, "  entry: copy_rows_kernel"); }},
      {"H016",
       [](Texts& texts) {
         texts.header = changed(texts.header, "namespace", "struct Tiling {};\nnamespace");
       }},
      {"N001", [](Texts& texts) { add_cases(texts, "[65536, 65536]"); }},
      {"N003",
       [](Texts& texts) {
         texts.design = changed(texts.design, "block_dim: \"8\"", "block_dim: \"n_pes\"");
       }},
      {"N004",
       [](Texts& texts) {
         add_cases(texts, "[64, 32]");
         add_to_binding(texts, "  require: [\"rows % 2 == 0\"]");
       }},
      {"G002", [](Texts& texts) { add_to_binding(texts, "  golden: all_gather"); }},
      {"G003", [](Texts& texts) { add_to_binding(texts, "  golden: all_gather"); }},
      {"G004",
       [](Texts& texts) {
         texts.design = with_golden("all_reduce", "[rows, cols]", "[rows, cols]");
         texts.design = changed(texts.design,
                                "  oracle: all_reduce",
                                "  oracle: all_reduce\n  tolerance: {rtol: 0.001, atol: 0.001}");
       }},
  };
  Texts texts;
  if (const auto found = changes.find(code); found != changes.end()) {
    found->second(texts);
  }
  return texts;
}

Texts made_faulty(const Explanation& item, Texts texts) {
  std::string& text = item.file == kInHeader ? texts.header : texts.design;
  text = changed(text, item.repaired, item.faulty);
  return texts;
}

bool shows(const Texts& texts, std::string_view code) {
  return (" " + read(texts.design, texts.header).codes() + " ")
             .find(" " + std::string(code) + " ") != std::string::npos;
}

TEST(Explanation, StandsForEveryRule) {
  for (const Rule* rule : all_rules()) {
    const Explanation* item = explanation_of(*rule);
    ASSERT_NE(item, nullptr) << rule->code << " has none";
    EXPECT_GT(item->why.size(), 20U) << rule->code;
    EXPECT_NE(item->faulty, item->repaired) << rule->code;
  }
}

// A rule about a file that is not there, or not text, has no lines to change; cases show those.
TEST(Explanation, ShowsAnExampleThatIsFaultyAndARepairThatIsGood) {
  int tried = 0;
  for (const Rule* rule : all_rules()) {
    const Explanation* item = explanation_of(*rule);
    if (item == nullptr || item->file == kInFolder || item->file == kInShell) {
      continue;
    }
    const Texts good = good_for(rule->code);
    EXPECT_EQ(read(good.design, good.header).diagnostics.has_errors(), false)
        << rule->code << "\n"
        << read(good.design, good.header).text();
    EXPECT_FALSE(shows(good, rule->code)) << rule->code << " after the repair";
    const Texts faulty = made_faulty(*item, good);
    EXPECT_TRUE(shows(faulty, rule->code))
        << rule->code << " instead of " << read(faulty.design, faulty.header).text();
    ++tried;
  }
  EXPECT_GE(tried, 45);
}

}  // namespace
}  // namespace shmem_bind::contract
