#include "tool/contract/read.h"

#include <gtest/gtest.h>

#include "tool/contract/dtype.h"
#include "tool/contract/naming.h"
#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

using Role = Argument::Role;

Contract good(const Read& found) {
  EXPECT_TRUE(found.contract.has_value()) << found.text();
  return found.contract.value_or(Contract{});
}

std::vector<Role> roles_of(const Contract& contract) {
  std::vector<Role> roles;
  for (const Argument& argument : contract.entry.arguments) {
    roles.push_back(argument.role);
  }
  return roles;
}

TEST(Read, GivesTheWholeModel) {
  const Read found = read(kGoodDesign);
  EXPECT_EQ(found.codes(), "");
  const Contract contract = good(found);
  EXPECT_EQ(contract.op_name, "copy_rows");
  EXPECT_EQ(contract.class_name, "CopyRows");
  EXPECT_EQ(contract.build_mode, BuildMode::kIndependentProject);
  EXPECT_EQ(contract.torch_required, true);
  EXPECT_EQ(contract.dispatch, (std::vector<Dtype>{Dtype::kInt32, Dtype::kFp16}));
  ASSERT_EQ(contract.tensors.size(), 2u);
  EXPECT_EQ(contract.tensors[0].name, "output") << "outputs come first";
  EXPECT_TRUE(contract.tensors[0].is_output);
  EXPECT_TRUE(contract.tensors[1].is_input);
  EXPECT_TRUE(contract.tensors[1].follows_dispatch);
  ASSERT_EQ(contract.tensors[0].shape.size(), 3u);
  EXPECT_EQ(contract.tensors[0].shape[0].kind, Dimension::Kind::kExpression);
  EXPECT_EQ(contract.tensors[0].shape[1].symbol, "rows");
  EXPECT_EQ(contract.pe_counts.text(), "1..16");
  EXPECT_EQ(contract.entry.qualified_name, "Kernels::copy_rows_kernel");
  EXPECT_TRUE(contract.entry.is_template);
  EXPECT_EQ(contract.entry.header_path, "src/copy_rows_kernel.h");
  EXPECT_EQ(roles_of(contract),
            (std::vector<Role>{Role::kBlockDim,
                               Role::kStream,
                               Role::kFfts,
                               Role::kTensor,
                               Role::kTensor,
                               Role::kState,
                               Role::kExpression,
                               Role::kExpression}));
  EXPECT_EQ(contract.entry.arguments[3].tensor, 1);
  EXPECT_EQ(contract.entry.arguments[6].text, "numel(input)");
  EXPECT_EQ(contract.entry.arguments[7].canonical_type, "int");
  ASSERT_TRUE(contract.golden.has_value());
  EXPECT_EQ(contract.golden->collective, "all_gather") << "from correctness.oracle";
  EXPECT_EQ(contract.cases.size(), 3u) << "three shapes when none are declared";
  EXPECT_EQ(contract.digest.size(), 16u);
}

TEST(Read, ChangesItsDigestWithContractAndDeclaration) {
  const std::string plain = good(read(kGoodDesign)).digest;
  EXPECT_NE(good(read_changed("\"8\"", "\"16\"")).digest, plain);
  EXPECT_NE(
      good(read(kGoodDesign, changed(kGoodHeader, "int64_t elements", "int elements"))).digest,
      plain);
  EXPECT_EQ(good(read(std::string(kGoodDesign) + "\nMore prose.\n")).digest, plain);
  EXPECT_EQ(good(read(kGoodDesign, "// a comment\n" + std::string(kGoodHeader))).digest, plain);
}

// --- dtypes ---

TEST(Dtypes, AreAcceptedInEverySpelling) {
  const Read found = read_changed("[int32, fp16]", "[int, torch.float16, BF16, int8_t, half]");
  EXPECT_EQ(good(found).dispatch,
            (std::vector<Dtype>{Dtype::kInt32, Dtype::kFp16, Dtype::kBf16, Dtype::kInt8}));
  EXPECT_EQ(found.codes(), "C030") << "half is fp16 once more";
}

TEST(Dtypes, AreRefusedWhenUnknown) {
  EXPECT_EQ(read_changed("[int32, fp16]", "[int32, float8_e8m0fnu]").codes(), "C014");
  EXPECT_NE(read_changed("fp16]", "flp16]").text().find("did you mean fp16?"), std::string::npos);
}

TEST(Dtypes, MayStandInEitherDialectAndMustAgree) {
  const std::string without = changed(kGoodDesign, "  dtypes: [int32, fp16]\n", "");
  const std::string seed = changed(without, "interface:\n", "interface:\n  dtypes: [fp32]\n");
  EXPECT_EQ(good(read(seed)).dispatch, (std::vector<Dtype>{Dtype::kFp32}));
  const std::string dsl = changed(
      without, "interface:\n", "source: {user_confirmations: {dtypes: [bf16]}}\ninterface:\n");
  EXPECT_EQ(good(read(dsl)).dispatch, (std::vector<Dtype>{Dtype::kBf16}));
  const Read both = read(changed(kGoodDesign, "interface:\n", "interface:\n  dtypes: [fp32]\n"));
  EXPECT_EQ(both.codes(), "C012");
  EXPECT_EQ(both.diagnostics.list()[0].related.size(), 1u) << "both places";
}

TEST(Dtypes, MayBeFixedForATensor) {
  const std::string design =
      changed(changed(kGoodDesign, "{name: input, dtype: dtype", "{name: input, dtype: int32"),
              "  block_dim",
              "  fixed: [input]\n  golden: cast.py:golden\n  block_dim");
  const Contract contract = good(read(design));
  EXPECT_FALSE(contract.tensors[1].follows_dispatch);
  EXPECT_EQ(contract.tensors[1].dtype, Dtype::kInt32);
  EXPECT_TRUE(contract.tensors[0].follows_dispatch);
}

TEST(Dtypes, HaveOneTable) {
  for (const DtypeRow& item : dtype_table()) {
    EXPECT_EQ(&row(item.dtype), &item) << item.dsl;
    EXPECT_EQ(dtype_named(item.dsl), item.dtype);
    EXPECT_EQ(dtype_named("torch." + std::string(item.python)), item.dtype);
  }
}

// --- names ---

TEST(Naming, MakesClassNames) {
  EXPECT_EQ(class_name_of("all_gather"), "AllGather");
  EXPECT_EQ(class_name_of("kv_shuffle"), "KVShuffle");
  EXPECT_EQ(class_name_of("all2all_v2"), "All2allV2");
  EXPECT_EQ(class_name_of("moe_ep_dispatch_int8"), "MOEEPDispatchINT8");
  EXPECT_EQ(class_name_of("a__b"), "AB");
}

TEST(Naming, AppendsToWhatCppOrTheGeneratedCodeUses) {
  EXPECT_EQ(cpp_name_of("input"), "input");
  for (const char* name : {"default", "in", "std", "at", "op", "x_dense"}) {
    EXPECT_EQ(cpp_name_of(name), std::string(name) + "_");
  }
}

TEST(Names, OfTensorsMayBeKeywordsButNotReserved) {
  const std::string design = replaced(
      changed(kGoodDesign, "name: input", "name: default"), "numel(input)", "numel(default)");
  const Read found = read(design, changed(kGoodHeader, "uint8_t* input", "uint8_t* def"));
  EXPECT_EQ(found.codes(), "C021") << found.text();
  EXPECT_EQ(good(found).tensors[1].cpp_name, "default_");
  EXPECT_EQ(read_changed("name: input", "name: state").codes(), "C029");
  EXPECT_EQ(read_changed("name: input", "name: n_pes").codes(), "C029");
  EXPECT_EQ(read_changed("name: input", "name: half").codes(), "C029");
  EXPECT_EQ(read_changed("name: input", "name: in-put").codes(), "C013");
}

TEST(Names, AreUnique) {
  EXPECT_EQ(read_changed("name: output", "name: rows").codes().substr(0, 4), "C019");
  EXPECT_NE(
      read_changed("outputs:\n", "outputs:\n    - {name: output, dtype: dtype, shape: \"[1]\"}\n")
          .codes()
          .find("C019"),
      std::string::npos);
}

TEST(Names, InBothListsMeanReadAndWritten) {
  std::string design = changed(kGoodDesign,
                               "{name: output, dtype: dtype, shape: \"[n_pes, rows, cols]\"",
                               "{name: input, dtype: dtype, shape: \"[rows, cols]\"");
  design = changed(design, "oracle: all_gather", "oracle: all_reduce");
  const Read found = read(design, changed(kGoodHeader, "uint8_t* output, ", ""));
  const Contract contract = good(found);
  ASSERT_EQ(contract.tensors.size(), 1u);
  EXPECT_TRUE(contract.tensors[0].is_input && contract.tensors[0].is_output);
}

TEST(Names, OfClassesCannotBeManager) {
  EXPECT_EQ(read_changed("torch_binding:\n", "torch_binding:\n  class_name: Manager\n").codes(),
            "C013");
  EXPECT_EQ(good(read_changed("torch_binding:\n", "torch_binding:\n  class_name: RowCopier\n"))
                .class_name,
            "RowCopier");
}

// --- shapes ---

TEST(Shapes, MayBeListsOrStandInTheSeedsDialect) {
  EXPECT_EQ(
      good(read_changed("shape: \"[rows, cols]\"", "shape: [rows, cols]")).tensors[1].shape.size(),
      2u);
  std::string design = changed(kGoodDesign, ", shape: \"[rows, cols]\"", "");
  design = changed(design, ", shape: \"[n_pes, rows, cols]\"", "");
  const std::string map =
      changed(design,
              "interface:\n",
              "interface:\n  shape: {input: [rows, cols], output: [n_pes, rows, cols]}\n");
  EXPECT_EQ(good(read(map)).tensors[0].shape.size(), 3u);
  const std::string text =
      changed(design,
              "interface:\n",
              "interface:\n  shape: \"input: [rows, cols]; output: [n_pes, rows, cols]\"\n");
  EXPECT_EQ(good(read(text)).tensors[0].shape.size(), 3u);
  EXPECT_EQ(read(design).codes(), "C010 C010") << "asked for, for both";
}

TEST(Shapes, MayHaveExpressionsAndFreeDimensions) {
  const Contract contract = good(
      read(changed(changed(kGoodDesign, "[n_pes, rows, cols]", "[n_pes * rows, align_up(cols, 8)]"),
                   "oracle: all_gather",
                   "oracle: golden.py:padded")));
  EXPECT_EQ(contract.tensors[0].shape[1].kind, Dimension::Kind::kExpression);
  EXPECT_EQ(good(read_changed("[n_pes, rows, cols]", "[?, rows]")).tensors[0].shape[0].kind,
            Dimension::Kind::kAny);
}

TEST(Shapes, AreRefusedWithTheirPlace) {
  EXPECT_EQ(read_changed("[rows, cols]", "rows x cols").codes().substr(0, 4), "C009");
  EXPECT_EQ(read_changed("[rows, cols]", "[rows, ]").codes().substr(0, 4), "C009");
  EXPECT_EQ(read_changed("[rows, cols]", "[rows, 1e3]").codes().substr(0, 4), "C015");
  EXPECT_EQ(read_changed("[n_pes, rows, cols]", "[n_pes, rows, depth]").codes(), "C020");
  EXPECT_EQ(read_changed("[n_pes, rows, cols]", "[n_pes, rows, cosl + 1]").codes(), "C016");
}

// --- numbers, over the declared cases ---

std::string with_cases(const std::string& cases, const std::string& require = "") {
  std::string design = changed(
      kGoodDesign, "  oracle: all_gather\n", "  oracle: all_gather\n  case_matrix:\n" + cases);
  return require.empty()
             ? design
             : changed(design, "  block_dim", "  require: [\"" + require + "\"]\n  block_dim");
}

TEST(Cases, AreReadFromTheMatrix) {
  const Contract contract =
      good(read(with_cases("    - {case: xs, shape: \"[64, 32]\", category: functional}\n"
                           "    - {case: big, shape: [128, 64], category: stress}\n")));
  ASSERT_EQ(contract.cases.size(), 2u);
  EXPECT_EQ(contract.cases[0].symbols,
            (std::map<std::string, int64_t>{{"cols", 32}, {"rows", 64}}));
  EXPECT_TRUE(contract.cases[1].stress);
}

TEST(Cases, GiveShapesOfSeveralInputsAndAttributes) {
  std::string design = with_cases(
      "    - {case: a, shape: {input: \"[6, 2]\", table: [5]}}\n"
      "    - {case: b, shape: {table: \"[0]\", input: [1, 1]}, attrs: {halo: 3, wrap: true}}\n");
  design =
      changed(design,
              "  outputs:\n",
              "    - {name: table, dtype: int64, shape: \"[moves]\"}\n"
              "  attrs: [{name: halo, type: int, default: 1}, {name: wrap, type: bool, default: "
              "false}]\n  outputs:\n");
  const std::string header = changed(
      kGoodHeader, "int32_t magic", "uint8_t* table, int32_t magic, int32_t halo, int32_t wrap");
  const Contract contract = good(read(design, header));
  ASSERT_EQ(contract.cases.size(), 2u);
  EXPECT_EQ(contract.cases[0].symbols,
            (std::map<std::string, int64_t>{{"cols", 2}, {"moves", 5}, {"rows", 6}}));
  EXPECT_EQ(contract.cases[0].attributes,
            (std::map<std::string, std::string>{{"halo", "1"}, {"wrap", "false"}}));
  EXPECT_EQ(contract.cases[1].attributes,
            (std::map<std::string, std::string>{{"halo", "3"}, {"wrap", "true"}}));
  for (const auto& [from, to] : {std::pair{"table: [5]", "tables: [5]"},
                                 std::pair{"table: [5]", "output: [5]"},
                                 std::pair{", table: [5]", ""},
                                 std::pair{"halo: 3", "halo: wide"},
                                 std::pair{"halo: 3", "hole: 3"},
                                 std::pair{"{halo: 3, wrap: true}", "3"},
                                 std::pair{"int, default: 1", "int"}}) {
    EXPECT_EQ(read(changed(design, from, to), header).codes().substr(0, 4), "C025") << to;
  }
}

TEST(Cases, TryTheirOwnAttributes) {
  const std::string design =
      changed(with_cases("    - {case: a, shape: [4, 4], attrs: {halo: 5}}\n", "halo <= rows"),
              "  outputs:\n",
              "  attrs: [{name: halo, type: int, default: 1}]\n  outputs:\n");
  const std::string header = changed(kGoodHeader, "int32_t magic", "int32_t magic, int32_t halo");
  EXPECT_EQ(read(design, header).codes(), "N004");
  EXPECT_EQ(read(changed(design, "halo: 5", "halo: 4"), header).codes(), "");
}

TEST(Cases, MustFitTheFirstInput) {
  EXPECT_EQ(read(with_cases("    - {case: a, shape: \"[64]\"}\n")).codes(), "C025");
  EXPECT_EQ(read(with_cases("    - {case: a, shape: \"[64, x]\"}\n")).codes(), "C025");
  EXPECT_EQ(
      read(with_cases("    - {case: a, shape: \"[1, 2]\"}\n    - {case: a, shape: \"[3, 4]\"}\n"))
          .codes(),
      "C025");
}

TEST(Numbers, MustFitTheirParameters) {
  const std::string narrow = changed(kGoodHeader, "int64_t elements", "int elements");
  const Read found = read(with_cases("    - {case: huge, shape: \"[65536, 65536]\"}\n"), narrow);
  EXPECT_EQ(found.codes(), "N001");
  EXPECT_NE(found.text().find("elements is 4294967296 (case huge, 1 PEs, int32)"),
            std::string::npos)
      << found.text();
  EXPECT_EQ(read(changed(with_cases("    - {case: s, shape: \"[2, 2]\"}\n"),
                         "magic: epoch",
                         "magic: \"epoch * 3 GiB\""))
                .codes(),
            "N001");
  EXPECT_EQ(read(with_cases("    - {case: huge, shape: \"[65536, 65536]\"}\n")).codes(), "")
      << "int64_t takes it";
}

TEST(Numbers, MustExistAndMakeSense) {
  EXPECT_EQ(read_changed("\"8\"", "\"8 / (n_pes - 1)\"").codes(), "N002");
  EXPECT_EQ(read_changed("\"8\"", "\"n_pes - 1\"").codes(), "N003") << "no block on 1 PE";
  EXPECT_EQ(read_changed("\"4096 * n_pes\"", "\"4096 * (n_pes - 2)\"").codes(), "N003");
  EXPECT_EQ(read_changed("\"4096 * n_pes\"", "\"9000000000 * 9000000000 * n_pes\"").codes(),
            "N002");
}

TEST(Numbers, OfCasesKeepTheConditions) {
  const Read found = read(with_cases("    - {case: odd, shape: \"[7, 3]\"}\n", "rows % 2 == 0"));
  EXPECT_EQ(found.codes(), "N004");
  EXPECT_NE(found.text().find("rows % 2 == 0 does not hold for case odd"), std::string::npos)
      << found.text();
  EXPECT_EQ(read(with_cases("    - {case: even, shape: \"[8, 3]\"}\n", "rows % 2 == 0")).codes(),
            "");
}

TEST(State, IsKnownAtConstruction) {
  EXPECT_EQ(read_changed("\"4096 * n_pes\"", "\"rows * 4\"").codes(), "C017");
  EXPECT_EQ(read_changed("\"4096 * n_pes\"", "\"numel(input)\"").codes(), "C017");
  EXPECT_EQ(read_changed("  state: \"4096 * n_pes\"",
                         "  max: {rows: 1024}\n  state: \"rows * sizeof(dtype)\"")
                .codes(),
            "");
  EXPECT_EQ(read_changed("  state:", "  max: {depth: 4}\n  state:").codes(), "C016");
  EXPECT_EQ(read_changed("  state:", "  max: {rows: many}\n  state:").codes(), "C009");
}

TEST(PeCounts, HaveThreeForms) {
  const auto counts = [](const char* text) {
    return good(read_changed("n_pes: \"1..16\"", std::string("n_pes: ") + text)).pe_counts;
  };
  EXPECT_TRUE(counts("\"2..4\"").allows(4));
  EXPECT_FALSE(counts("\"2..4\"").allows(5));
  EXPECT_TRUE(counts("[2, 4, 8]").allows(8));
  EXPECT_FALSE(counts("[2, 4, 8]").allows(3));
  EXPECT_TRUE(counts("{multiple_of: 2, max: 8}").allows(6));
  EXPECT_FALSE(counts("{multiple_of: 2, max: 8}").allows(5));
  EXPECT_FALSE(counts("{multiple_of: 2, max: 8}").allows(10));
  EXPECT_TRUE(counts("8").allows(8));
  for (const char* bad :
       {"\"0..4\"", "\"4..2\"", "[]", "[2, x]", "{multiple: 2}", "many", "\"1..99999\""}) {
    EXPECT_EQ(read_changed("n_pes: \"1..16\"", std::string("n_pes: ") + bad).codes(), "C018")
        << bad;
  }
}

// --- golden and gates ---

TEST(Golden, IsACollectiveADocumentBlockOrAFile) {
  const auto golden = [](const std::string& text, const std::string& more) {
    return read(changed(kGoodDesign, "  block_dim", "  golden: " + text + "\n  block_dim") + more);
  };
  const std::string block =
      "\n```python golden\ndef golden(pe, n_pes, inputs, attrs):\n    return {}\n```\n";
  EXPECT_EQ(good(golden("document", block)).golden->kind, Golden::Kind::kDocument);
  EXPECT_EQ(golden("document", "").codes(), "G002");
  EXPECT_EQ(golden("document", block + block).codes(), "G002");
  const Contract file = good(golden("scripts/golden.py:expected", ""));
  EXPECT_EQ(file.golden->file, "scripts/golden.py");
  EXPECT_EQ(file.golden->function, "expected");
  EXPECT_EQ(golden("../golden.py:f", "").codes(), "G002") << "outside of the folder";
  EXPECT_EQ(golden("all_gater", "").codes(), "G002");
  EXPECT_EQ(read_changed("oracle: all_gather", "oracle: every PE gets everything").codes(), "G001");
}

TEST(Golden, OfACollectiveFitsTheOperator) {
  const std::string root =
      changed(kGoodDesign, "  outputs:", "  attrs: [{name: root, type: int}]\n  outputs:");
  const std::string header = changed(kGoodHeader, "int32_t magic", "int32_t magic, int32_t root");
  const auto of = [&](const char* name, const std::string& design) {
    return read(changed(design, "oracle: all_gather", std::string("oracle: ") + name), header)
        .codes();
  };
  const std::string with_default = changed(root, "type: int}", "type: int, default: 1}");
  const std::string same = changed(with_default, "[n_pes, rows, cols]", "[rows, cols]");
  EXPECT_EQ(of("broadcast", same), "");
  EXPECT_EQ(of("gather", with_default), "");
  EXPECT_EQ(of("all_to_all", same), "");
  EXPECT_EQ(of("broadcast", changed(with_default, "name: root", "name: boss")).substr(0, 4),
            "G003");
  EXPECT_EQ(
      of("gather", changed(with_default, "type: int, default: 1", "type: bool, default: true"))
          .substr(0, 4),
      "G003");
  const std::string two =
      changed(with_default,
              "role: payload}\n",
              "role: payload}\n    - {name: other, dtype: dtype, shape: \"[rows, cols]\"}\n");
  EXPECT_EQ(of("all_gather", two).substr(0, 4), "G003");
  EXPECT_EQ(of("all_gather", changed(two, "name: other, dtype: dtype", "name: other, dtype: int64"))
                .substr(0, 4),
            "H006")
      << "another dtype has no part in it; the header lacks it";
}

// --- tensors that may be absent ---

constexpr const char* kOutput = "visibility: replicated}";
constexpr const char* kOptionalOutput = "visibility: root, optional: true}";

TEST(Optional, IsReadAndAsksForNumelOnly) {
  const std::string design = changed(kGoodDesign, kOutput, kOptionalOutput);
  const Contract contract = good(read(design));
  EXPECT_TRUE(contract.tensors[0].optional);
  EXPECT_FALSE(contract.tensors[1].optional);
  const auto requires_that = [&](const std::string& condition) {
    return read(changed(design, "  block_dim", "  require: [\"" + condition + "\"]\n  block_dim"));
  };
  EXPECT_EQ(requires_that("numel(output) >= 0").codes(), "");
  for (const char* asks : {"bytes(output) >= 0",
                           "dim(output, 0) > 0",
                           "n_pes > 1 && ndim(output) == 3",
                           "numel(input) * sizeof(output) > 0"}) {
    EXPECT_EQ(requires_that(asks).codes(), "N002") << asks;
  }
  EXPECT_NE(requires_that("bytes(output) >= 0").text().find("output may be absent"),
            std::string::npos);
  EXPECT_EQ(read_changed(kOutput, "optional: perhaps}").codes(), "C009");
}

TEST(Optional, BindsNoSymbolAndChoosesNoInstance) {
  const std::string mask =
      "    - {name: mask, dtype: int64, shape: \"[items]\", optional: true}\n  outputs:\n";
  const Read unbound = read_changed("  outputs:\n", mask);
  EXPECT_EQ(unbound.codes().substr(0, 4), "C020");
  EXPECT_NE(unbound.text().find("mask, which may be absent"), std::string::npos);
  const std::string only_optional =
      changed(changed(kGoodDesign, "role: payload}", "role: payload, optional: true}"),
              kOutput,
              kOptionalOutput);
  EXPECT_EQ(read(only_optional).codes().substr(0, 4), "C024");
}

TEST(Gates, AreReadAndMayStandInAFileOfTheirOwn) {
  const Contract contract = good(read(kGoodDesign));
  ASSERT_EQ(contract.gates.size(), 2u);
  EXPECT_TRUE(contract.gates[0].passed && contract.gates[1].passed);
  EXPECT_EQ(contract.gates[0].evidence, "report.md");
  const Contract file =
      good(read(kGoodDesign, kGoodHeader, "correctness: passed\nreview: {result: failed}\n"));
  EXPECT_TRUE(file.gates[0].passed);
  EXPECT_FALSE(file.gates[1].passed) << "the file replaces the section";
  EXPECT_TRUE(
      good(read(kGoodDesign, kGoodHeader, "status: {review: passed_interim}\n")).gates[1].passed);
  EXPECT_EQ(read(kGoodDesign, kGoodHeader, "a: [\n").codes(), "C004");
}

TEST(Gates, OfCorrectnessKnowNoInterim) {
  EXPECT_FALSE(good(read_changed("{result: passed, evidence: report.md}", "passed_interim"))
                   .gates[0]
                   .passed);
}

TEST(Aliases, NameAnOutputAndAnInput) {
  const Contract contract = good(
      read_changed("  block_dim", "  aliases: [[output, input]]\n  shared: [input]\n  block_dim"));
  EXPECT_EQ(contract.aliases, (std::vector<std::pair<int, int>>{{0, 1}}));
  EXPECT_TRUE(contract.tensors[1].shared);
  EXPECT_EQ(read_changed("  block_dim", "  aliases: [[input, output]]\n  block_dim").codes(),
            "C009");
  EXPECT_EQ(read_changed("  block_dim", "  shared: [output]\n  block_dim").codes(), "C016");
}

TEST(Place, OfTheOperatorIsCompared) {
  Sources sources;
  sources.design = sources.texts.add("design.md", kGoodDesign);
  sources.headers.push_back({sources.texts.add("kernel.h", kGoodHeader), "src/copy_rows_kernel.h"});
  for (const auto& [folder, codes] : {std::pair{"/tree/custom-ops/copy_rows", ""},
                                      std::pair{"/tree/copy_rows", "C022"},
                                      std::pair{"/tree/my-custom-ops/copy_rows", "C022"}}) {
    Read found;
    sources.operator_folder = folder;
    read_contract(sources, found.diagnostics);
    EXPECT_EQ(found.codes(), codes) << folder;
  }
  EXPECT_EQ(read_changed("op_root: custom-ops/copy_rows", "op_root: custom-ops/other").codes(),
            "C022");
  EXPECT_EQ(read_changed("independent_project", "in_tree_example").codes(), "C022");
  const std::string in_tree = changed(kGoodDesign, "independent_project", "in_tree_example");
  EXPECT_EQ(read(changed(in_tree, "custom-ops/copy_rows", "examples/copy_rows")).codes(), "");
}

TEST(Encoding, MustBeUtf8) {
  EXPECT_EQ(read("\xff\xfe" + std::string(kGoodDesign)).codes(), "C001");
}

TEST(Read, ReportsAllItCanSeeAtOnceButNotWhatFollows) {
  std::string design = changed(kGoodDesign, "[int32, fp16]", "[int32, fp61]");
  design = changed(design, "n_pes: \"1..16\"", "n_pes: none");
  design = changed(design, "[rows, cols]", "[rows, 08]");
  EXPECT_EQ(read(design).codes(), "C014 C015 C018");
}

}  // namespace
}  // namespace shmem_bind::contract
