#include "tool/prove/variants.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shmem_bind::prove {
namespace {

size_t made(const std::vector<Variant>& variants) {
  return static_cast<size_t>(std::count_if(
      variants.begin(), variants.end(), [](const Variant& v) { return v.row.state.empty(); }));
}

TEST(Maker, editsOnlyWhatStandsThereOnce) {
  const Texts texts = {{"class", "a b b"}};
  Maker maker("binding", texts);
  maker.add("once", {{"class", "a", "c"}}, {Probe::kFirst}, "");
  maker.add("twice", {{"class", "b", "c"}}, {Probe::kFirst}, "");
  maker.add("never", {{"class", "d", "c"}}, {Probe::kFirst}, "");
  const auto variants = maker.take();
  EXPECT_EQ(variants[0].texts.at("class"), "c b b");
  EXPECT_EQ(variants[1].row.state, "not applicable");
  EXPECT_EQ(variants[2].row.state, "not applicable");
  EXPECT_EQ(variants[2].row.id, "b03");
}

TEST(KernelVariants, findsCodeAndNotComments) {
  const Texts texts = {{"kernel",
                        "aclshmem_quiet();\n"
                        "// aclshmem_quiet();\n"
                        "for (int32_t peer = 0; peer < pes_; ++peer) {\n"
                        "aclshmem_signal_wait_until(flag, ACLSHMEM_CMP_GE, magic_);  // prove: "
                        "equivalent, nobody reads it\n"
                        "aclshmem_fence();  // prove: equivalent\n"}};
  const auto variants = kernel_variants(texts);
  ASSERT_EQ(variants.size(), 6u);  // quiet, fence, wait, stale, first PE, last PE
  EXPECT_EQ(made(variants), 6u);
  EXPECT_TRUE(variants[1].equivalent.empty()) << "a mark needs a reason";
  EXPECT_EQ(variants[0].texts.at("kernel").substr(0, 2), ";\n");
  EXPECT_TRUE(variants[0].equivalent.empty());
  EXPECT_EQ(variants[2].equivalent, "nobody reads it");
  EXPECT_NE(variants[3].texts.at("kernel").find("ACLSHMEM_CMP_NE, 0);"), std::string::npos);
  EXPECT_NE(variants[4].texts.at("kernel").find("peer = 1;"), std::string::npos);
}

TEST(MutantSources, partsOfASource) {
  const ClassParts parts = parts_of(
      "#include <a>\n\nnamespace ShmemOps {\nclass A {};\n}  // namespace ShmemOps\n\n"
      "REGISTER_SHMEM_OPS_CLASS(A, (f, torch::arg(\"x\") = int64_t{1}));\n");
  EXPECT_EQ(parts.prelude, "#include <a>\n\n");
  EXPECT_EQ(parts.registration, "A, (f, torch::arg(\"x\") = int64_t{1})");
  EXPECT_TRUE(parts.body.ends_with("}  // namespace ShmemOps\n"));
}

TEST(KernelVariants, leavesOutAnEdgeAndSignalsBeforeTheData) {
  const Texts texts = {{"kernel",
                        "  for (int i = 0; i < n; ++i) {\n"
                        "    Put(i);\n"
                        "  }\n"
                        "  aclshmem_quiet();\n"
                        "  Signal(flag,\n"
                        "         1);\n"
                        "  SetFlag<X>(EVENT_ID1);\n"
                        "  WaitFlag<X>(EVENT_ID1);\n"}};
  const auto variants = kernel_variants(texts);
  ASSERT_EQ(variants.size(), 3u);  // quiet, edge, order
  EXPECT_NE(variants[1].texts.at("kernel").find("  ;\n") != std::string::npos ||
                variants[1].texts.at("kernel").find(";\n;\n") != std::string::npos,
            false);
  EXPECT_TRUE(variants[2].texts.at("kernel").starts_with("  Signal(flag,\n         1);\n  for"))
      << variants[2].texts.at("kernel");
}

}  // namespace
}  // namespace shmem_bind::prove
