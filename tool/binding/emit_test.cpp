#include "tool/binding/emit.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

FileSet files_of(const contract::Read& read) {
  EXPECT_TRUE(read.contract.has_value()) << read.text();
  return read.contract ? emit(*read.contract) : FileSet{};
}

const std::string& text_of(const FileSet& files, const std::string& path) {
  return files.at("custom-ops/" + path).text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kClass = "torch_binding/src/torch_bind_copy_rows.cpp";
constexpr const char* kTest = "copy_rows/scripts/torch_test_copy_rows.py";
constexpr const char* kPackage = "torch_binding/python/shmem_custom_ops/copy_rows.py";

TEST(Emit, GivesTheSameBytesForTheSameContract) {
  const FileSet first = files_of(contract::read(contract::kGoodDesign));
  const FileSet second = files_of(contract::read(contract::kGoodDesign));
  ASSERT_EQ(first.size(), second.size());
  for (const auto& [path, file] : first) {
    EXPECT_EQ(file.text, second.at(path).text) << path;
    EXPECT_FALSE(has(file.text, "@@")) << path;
    EXPECT_FALSE(edited_by_hand(file.text)) << path;
  }
}

TEST(Emit, PassesEveryKernelParameterInItsPlace) {
  const std::string text = text_of(files_of(contract::read(contract::kGoodDesign)), kClass);
  const size_t input = text.find("input_dense.data_ptr()");
  const size_t output = text.find("output_dense.data_ptr()");
  ASSERT_NE(input, std::string::npos) << text;
  EXPECT_LT(input, output) << "the header's order";
  EXPECT_FALSE(has(text, "storage()"));
  EXPECT_TRUE(has(text, "case at::kInt:"));
  EXPECT_TRUE(has(text, "case at::kHalf:"));
  EXPECT_FALSE(has(text, "case at::kFloat:"));
}

TEST(Emit, FollowsTheHeaderWhenItSwapsParameters) {
  using contract::changed;
  const std::string swapped =
      changed(changed(changed(contract::kGoodHeader, "uint8_t* input", "uint8_t* TMP"),
                      "uint8_t* output",
                      "uint8_t* input"),
              "uint8_t* TMP",
              "uint8_t* output");
  const std::string text =
      text_of(files_of(contract::read(contract::kGoodDesign, swapped)), kClass);
  EXPECT_LT(text.find("output_dense.data_ptr()"), text.find("input_dense.data_ptr()"));
}

TEST(Emit, PutsTheOperatorsLinesIntoSharedRegions) {
  const FileSet files = files_of(contract::read(contract::kGoodDesign));
  const GeneratedFile& cmake = files.at("custom-ops/torch_binding/CMakeLists.txt");
  EXPECT_EQ(cmake.shared.at("sources"),
            (std::vector<std::string>{"  src/torch_bind_copy_rows.cpp"}));
  EXPECT_EQ(cmake.shared.count("kernel_targets"), 1u);
}

TEST(Emit, TypesThePythonPackage) {
  const std::string text = text_of(files_of(contract::read(contract::kGoodDesign)), kPackage);
  EXPECT_TRUE(has(text, "class CopyRows(Protocol):"));
  EXPECT_TRUE(has(text, "output: written, [n_pes, rows, cols]; int32, fp16"));
  EXPECT_TRUE(has(text, "input: read, [rows, cols]; int32, fp16"));
  EXPECT_TRUE(has(text, "torch.ops.shmem_ops.copy_rows(op, output, input)"));
}

TEST(Emit, GivesAttributesTheirTypeAndDefault) {
  const auto read = contract::read_changed(
      "  outputs:", "  attrs: [{name: root, type: int, default: 3}]\n  outputs:");
  const FileSet files = files_of(read);
  EXPECT_TRUE(has(text_of(files, kClass), "int root=3")) << text_of(files, kClass);
  EXPECT_TRUE(has(text_of(files, kPackage), "root: int = 3,"));
}

TEST(Emit, GivesTheTestEveryCasesAttributes) {
  std::string design = contract::changed(
      contract::kGoodDesign,
      "  outputs:",
      "  attrs: [{name: root, type: int, default: 3}, {name: wrap, type: bool, default: true}]\n"
      "  outputs:");
  design = contract::changed(design,
                             "  oracle: all_gather\n",
                             "  oracle: all_gather\n  case_matrix:\n    - {case: a, shape: [2, 3], "
                             "attrs: {wrap: false}}\n");
  design = contract::changed(design, "[n_pes, rows, cols]", "[n_pes, rows + root, cols]");
  const FileSet files = files_of(contract::read(
      design,
      contract::changed(
          contract::kGoodHeader, "int32_t magic", "int32_t magic, int64_t root, int32_t wrap")));
  const std::string& text = text_of(files, kTest);
  EXPECT_TRUE(has(text, "ATTRIBUTES = {\"root\": 3, \"wrap\": True}")) << text;
  EXPECT_TRUE(has(text, "\"a\": {\"cols\": 3, \"rows\": 2, \"root\": 3, \"wrap\": False},"));
  EXPECT_TRUE(has(text, "symbols[\"rows\"] + symbols[\"root\"]"));
}

TEST(Emit, SpellsDefaultsAsEachLanguageDoes) {
  const FileSet files = files_of(contract::read_changed(
      "  outputs:", "  attrs: [{name: wrap, type: bool, default: true}]\n  outputs:"));
  EXPECT_TRUE(has(text_of(files, kClass), "bool wrap=True)"))
      << "torch's schemas read Python's words";
  EXPECT_TRUE(has(text_of(files, kClass), "torch::arg(\"wrap\") = bool{true}"));
  EXPECT_TRUE(has(text_of(files, kPackage), "wrap: bool = True,"));
  EXPECT_TRUE(has(text_of(files, kTest), "ATTRIBUTES = {\"wrap\": True}"));
}

TEST(Emit, NamesATensorThatIsReadAndWrittenInBothLists) {
  const std::string twice = "    - {name: input, dtype: dtype, shape: \"[rows, cols]\"}\n";
  const FileSet files = files_of(contract::read(
      contract::changed(contract::kGoodDesign, "  outputs:\n", "  outputs:\n" + twice)));
  const std::string& text = text_of(files, kTest);
  EXPECT_TRUE(has(text, "INPUTS = {\"input\": None}")) << text;
  EXPECT_TRUE(has(text, "OUTPUTS = {\"input\": None, \"output\": None}"));
  EXPECT_TRUE(has(text_of(files, kClass), "Tensor(a!) input, "));
}

TEST(Emit, KeepsTheContractsCodeApart) {
  const std::string design =
      contract::changed(contract::kGoodDesign, "oracle: all_gather", "oracle: see below");
  const std::string code =
      "\n```python golden\ndef golden(pe, n_pes, inputs, attrs):\n    return {}\n```\n";
  const FileSet document = files_of(contract::read(
      contract::changed(design, "  block_dim", "  golden: document\n  block_dim") + code));
  EXPECT_TRUE(has(text_of(document, kTest),
                  "    def golden(pe, n_pes, inputs, attrs):\n        return {}\n\n    return "
                  "locals()\n"))
      << text_of(document, kTest);
  EXPECT_TRUE(has(text_of(document, kTest),
                  "return contract_code()[\"golden\"](pe, n_pes, inputs, attrs)"));
  const FileSet file = files_of(contract::read(
      contract::changed(design, "  block_dim", "  golden: docs/right.py:answer\n  block_dim")));
  EXPECT_TRUE(has(text_of(file, kTest), "HERE.parent / \"docs/right.py\""));
  EXPECT_TRUE(has(text_of(file, kTest), "contract_code()[\"answer\"](pe, n_pes, inputs, attrs)"));
}

}  // namespace
}  // namespace shmem_bind::binding
