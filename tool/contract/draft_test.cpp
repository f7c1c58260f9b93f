#include "tool/contract/draft.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

Draft draft_of(const std::string& header) {
  const KernelHeader kernel = read_kernel_header({"src/copy_rows_kernel.h", header, 0}, {});
  return draft_contract("copy_rows", BuildMode::kIndependentProject, &kernel);
}

// Takes `<` and `?>` away, as a person does who finds every guess right.
std::string confirmed(std::string text) {
  for (size_t end = text.find("?>\""); end != std::string::npos; end = text.find("?>\"")) {
    const size_t begin = text.rfind("\"<", end);
    text.replace(end, 3, "\"").replace(begin, 2, "\"");
  }
  return text;
}

std::string answered(const Draft& draft) {
  std::string text = confirmed(draft.text);
  text = changed(text, "<transport, or what the kernel computes>", "transport");
  text = changed(text, "<a shape, as [rows, cols]>", "[rows, cols]");
  text = changed(text, "<a shape, as [rows, cols]>", "[n_pes, rows, cols]");
  text = changed(text, "<int8, int32, fp16, bf16, fp32 ...>", "int32");
  text = changed(
      text, "<bytes of symmetric state, as 4096 * n_pes; without state remove this line>", "4096");
  return changed(text, "<all_gather, document, or file.py:function>", "all_gather");
}

TEST(Draft, IsRefusedAtEveryQuestionAndNowhereElse) {
  const Draft draft = draft_of(kGoodHeader);
  const Read result = read(draft.text);
  EXPECT_EQ(result.diagnostics.list().size(), static_cast<size_t>(draft.questions));
  for (const Diagnostic& item : result.diagnostics.list()) {
    EXPECT_EQ(item.rule->code, "C011") << result.text();
  }
  EXPECT_FALSE(result.contract);
  EXPECT_TRUE(draft.remarks.empty());
}

TEST(Draft, BecomesAContractWhenItIsAnswered) {
  const std::string text = answered(draft_of(kGoodHeader));
  const Read result = read(text);
  ASSERT_TRUE(result.contract) << result.text() << text;
  EXPECT_EQ(result.codes(), "");
  EXPECT_EQ(result.contract->entry.qualified_name, "Kernels::copy_rows_kernel");
  EXPECT_EQ(result.contract->tensors.size(), 2U);
  EXPECT_FALSE(result.contract->gates[0].passed);
}

TEST(Draft, WritesATypedPointersDtypeWithoutAsking) {
  const Draft draft = draft_of(
      "void copy_rows_kernel(uint32_t block_dim, void* stream, "
      "const int64_t* src_table, float* out);");
  EXPECT_NE(draft.text.find("{name: src_table, dtype: int64, "), std::string::npos) << draft.text;
  EXPECT_NE(draft.text.find("{name: out, dtype: fp32, "), std::string::npos) << draft.text;
  EXPECT_EQ(draft.text.find("dtypes:"), std::string::npos) << draft.text;
}

TEST(Draft, DoesNotGuessWhatAPointerWithoutATellingNameIs) {
  const Draft draft =
      draft_of("void copy_rows_kernel(uint32_t block_dim, void* stream, uint8_t* a, int mode);");
  EXPECT_NE(draft.text.find("a: \"<state, or a tensor that inputs or outputs list>\""),
            std::string::npos)
      << draft.text;
  EXPECT_NE(draft.text.find("mode: \"<an expression, or the name of an attribute>\""),
            std::string::npos)
      << draft.text;
}

TEST(Draft, AsksForTheEntryAmongSeveral) {
  const Draft draft = draft_of("void copy_rows_kernel(int a);\nvoid copy_rows_kernel(long a);");
  EXPECT_NE(draft.text.find("entry: \"<copy_rows_kernel or copy_rows_kernel?>\""),
            std::string::npos)
      << draft.text;
  EXPECT_EQ(draft.remarks.size(), 1U);
}

TEST(Draft, TellsWhatIsWrongWithTheHeader) {
  const Draft draft = draft_of("#include \"missing.h\"\nvoid copy_rows_kernel(int a);\n");
  ASSERT_EQ(draft.remarks.size(), 1U);
  EXPECT_NE(draft.remarks[0].find("missing.h"), std::string::npos);
}

TEST(Draft, WithoutAHeaderAsksForEverything) {
  const Draft draft = draft_contract("copy_rows", BuildMode::kInTreeExample, nullptr);
  EXPECT_NE(draft.text.find("op_root: examples/copy_rows"), std::string::npos);
  EXPECT_NE(draft.text.find("{name: \"<input>\""), std::string::npos);
  EXPECT_GT(draft.questions, 10);
}

}  // namespace
}  // namespace shmem_bind::contract
