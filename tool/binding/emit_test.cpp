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
  const size_t input = text.find("input_memory.data()");
  const size_t output = text.find("output_memory.data()");
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
  EXPECT_LT(text.find("output_memory.data()"), text.find("input_memory.data()"));
}

TEST(Emit, DeclaresTheEntryInTheOperatorsOwnFile) {
  const std::string text = text_of(files_of(contract::read(contract::kGoodDesign)), kClass);
  EXPECT_FALSE(has(text, "#include \"shmem_torch_kernel.h\"")) << "it changes with every operator";
  EXPECT_TRUE(has(text, "template <class T>\nvoid copy_rows_kernel(uint32_t block_dim,")) << text;
}

TEST(Emit, GivesTheSeedsIncludesWhenAsked) {
  const std::string lean = text_of(files_of(contract::read(contract::kGoodDesign)), kClass);
  EXPECT_FALSE(has(lean, "torch/extension.h"));
  const std::string seed =
      text_of(files_of(contract::read_changed("  block_dim", "  seed_includes: true\n  block_dim")),
              kClass);
  for (const char* header : {"<torch/torch.h>",
                             "<torch/extension.h>",
                             "<torch/custom_class.h>",
                             "<torch_npu/csrc/core/npu/NPUStream.h>",
                             "\"shmem.h\"",
                             "\"shmem_torch_kernel.h\"",
                             "\"torch_register.h\""}) {
    EXPECT_TRUE(has(seed, std::string("#include ") + header)) << header;
  }
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

constexpr const char* kGoldenBlock =
    "\n```python golden\ndef golden(pe, n_pes, inputs, attrs):\n    return {}\n```\n";

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
  design = contract::changed(design, "  block_dim", "  golden: document\n  block_dim");
  const FileSet files = files_of(contract::read(
      design + kGoldenBlock,
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
  const std::string design =
      contract::changed(contract::kGoodDesign, "  block_dim", "  golden: document\n  block_dim");
  const FileSet files = files_of(contract::read(
      contract::changed(design, "  outputs:\n", "  outputs:\n" + twice) + kGoldenBlock));
  const std::string& text = text_of(files, kTest);
  EXPECT_TRUE(has(text, "INPUTS = {\"input\": None}")) << text;
  EXPECT_TRUE(has(text, "OUTPUTS = {\"input\": None, \"output\": None}"));
  EXPECT_TRUE(has(text_of(files, kClass), "Tensor(a!) input, "));
}

TEST(Emit, KeepsTheContractsCodeApart) {
  const std::string design =
      contract::changed(contract::kGoodDesign, "oracle: all_gather", "oracle: see below");
  const FileSet document = files_of(contract::read(
      contract::changed(design, "  block_dim", "  golden: document\n  block_dim") + kGoldenBlock));
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

// The good operator with an output that may be absent, a root and what the golden then says.
std::string with_optional_output() {
  using contract::changed;
  std::string design = changed(contract::kGoodDesign,
                               "visibility: replicated}\n",
                               "visibility: root, optional: true}\n"
                               "  attrs: [{name: root, type: int, default: 0}]\n");
  design = changed(design, "all_gather", "gather");
  return changed(
      design, "  block_dim", "  require: [\"pe != root || numel(output) > 0\"]\n  block_dim");
}

TEST(Emit, PassesWhatIsAbsentAsANullPointer) {
  const FileSet files = files_of(contract::read(with_optional_output()));
  const std::string& text = text_of(files, kClass);
  EXPECT_TRUE(has(text, "void compute(const std::optional<at::Tensor>& output_given,")) << text;
  EXPECT_TRUE(has(text, "const at::Tensor output = output_given.value_or(at::Tensor());"));
  EXPECT_TRUE(has(text, "const shmem_ops::Memory output_memory(output_dense);"));
  EXPECT_TRUE(has(text, "const at::Tensor output_dense = output.defined() ? output.contiguous()"));
  EXPECT_TRUE(has(text, "Tensor(a!)? output, "));
  EXPECT_TRUE(has(text, "check_same_call(kName, epoch, {input});")) << "PEs differ in the others";
  EXPECT_TRUE(has(text, "output.numel() > 0"));
  const size_t guard = text.find("    if (output.defined()) {\n");
  const size_t end = text.find("\n    }\n", guard);
  for (const char* check : {"check_device(output",
                            "check_dtype(output",
                            "check_shape(output",
                            "check_no_internal_overlap(output",
                            "check_no_overlap(output"}) {
    const size_t at = text.find(check);
    EXPECT_TRUE(guard < at && at < end) << check;
    EXPECT_EQ(text.find(check, at + 1), std::string::npos) << check;
  }
  EXPECT_TRUE(has(text_of(files, kPackage), "output: torch.Tensor | None,"));
  EXPECT_TRUE(has(text_of(files, kPackage), "input: torch.Tensor,"));
}

TEST(Emit, SkipsOverlapsWithAnInputThatIsAbsent) {
  const FileSet files = files_of(contract::read(
      contract::changed(contract::changed(contract::kGoodDesign,
                                          "  outputs:\n",
                                          "    - {name: mask, dtype: int64, shape: \"[rows]\", "
                                          "optional: true}\n  outputs:\n"),
                        "  block_dim",
                        "  golden: document\n  block_dim") +
          kGoldenBlock,
      contract::changed(contract::kGoodHeader, "uint8_t* gva", "int64_t* mask, uint8_t* gva")));
  const std::string& text = text_of(files, kClass);
  EXPECT_TRUE(has(text,
                  "    if (mask.defined()) {\n      shmem_ops::check_no_overlap(output, mask, "
                  "kName, \"output\", \"mask\");\n    }\n"))
      << text;
  EXPECT_TRUE(has(text, "static_cast<int64_t*>(mask_memory.data())"));
  EXPECT_TRUE(has(text, "Tensor? mask) -> ()"));
}

TEST(Emit, TakesTheRootOfACallFromTheAttributes) {
  const FileSet files = files_of(contract::read(with_optional_output()));
  const std::string& test = text_of(files, kTest);
  EXPECT_TRUE(has(test, "ROTATING = [\"root\"]")) << test;
  EXPECT_TRUE(has(test, "    if pe != attrs[\"root\"]:\n        return {}\n"));
  const FileSet everywhere =
      files_of(contract::read(contract::changed(with_optional_output(), ", optional: true", "")));
  EXPECT_TRUE(
      has(text_of(everywhere, kTest), "gathered if pe == attrs[\"root\"] else gathered[:0]"));
  const FileSet broadcast = files_of(contract::read(contract::changed(
      contract::changed(with_optional_output(), "oracle: gather", "oracle: broadcast"),
      "[n_pes, rows, cols]",
      "[rows, cols]")));
  EXPECT_TRUE(has(text_of(broadcast, kTest), "inputs[attrs[\"root\"]][\"input\"].clone()"));
  EXPECT_TRUE(
      has(text_of(files_of(contract::read(contract::kGoodDesign)), kTest), "ROTATING = []"));
}

TEST(Emit, ArrangesATableOfSplits) {
  const std::string equal = contract::with_golden("all_to_all", "[rows, cols]", "[rows, cols]");
  EXPECT_TRUE(has(text_of(files_of(contract::read(equal)), kTest),
                  "inputs[p][\"input\"].chunk(n_pes)[pe]"));
  const std::string uneven = contract::changed(
      contract::changed(
          contract::with_golden("all_to_all", "[rows, cols]", "[n_pes * rows, cols]"),
          "  outputs:\n",
          "    - {name: table, dtype: int64, shape: \"[n_pes, n_pes]\"}\n  outputs:\n"),
      "  block_dim",
      "  shared: [table]\n  block_dim");
  const FileSet files = files_of(contract::read(
      uneven,
      contract::changed(contract::kGoodHeader, "uint8_t* gva", "int64_t* table, uint8_t* gva")));
  const std::string& test = text_of(files, kTest);
  EXPECT_TRUE(has(test, "begin = int(splits[p, :pe].sum())")) << test;
  EXPECT_TRUE(has(test, "inputs[0][\"table\"][source] = torch.tensor(counts)"));
  EXPECT_TRUE(has(test, "SHARED = [\"table\"]"));
}

}  // namespace
}  // namespace shmem_bind::binding
