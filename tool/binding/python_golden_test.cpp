#include "tool/binding/python_golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tool/binding/emit.h"
#include "tool/contract/testing.h"

namespace shmem_bind::binding {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The generated test of the operator.
std::string test_of(const contract::Read& read) {
  EXPECT_TRUE(read.contract.has_value()) << read.text();
  return read.contract
             ? emit(*read.contract).at("custom-ops/copy_rows/scripts/torch_test_copy_rows.py").text
             : "";
}

constexpr const char* kGoldenBlock =
    "\n```python golden\ndef golden(pe, n_pes, inputs, attrs):\n    return {}\n```\n";

std::string test_with(const std::string& golden,
                      const std::string& input,
                      const std::string& output) {
  return test_of(contract::read(contract::with_golden(golden, input, output)));
}

TEST(PythonGolden, ReducesOnTheCpu) {
  const std::string sum = test_with("all_reduce", "[rows, cols]", "[rows, cols]");
  EXPECT_TRUE(has(sum, "torch.stack([inputs[p][\"input\"] for p in range(n_pes)])")) << sum;
  EXPECT_TRUE(has(sum, "values.sum(0, dtype=wide).to(values.dtype)"));
  EXPECT_TRUE(has(sum, "largest = info.max // -(-n_pes // groups)"));
  EXPECT_TRUE(has(sum, "REPLICATED = True"));
  const std::string most = test_with("all_reduce_max", "[rows, cols]", "[rows, cols]");
  EXPECT_TRUE(has(most, "values.amax(0)")) << most;
  EXPECT_FALSE(has(most, "info.max")) << "nothing overflows";
  const std::string part = test_with("reduce_scatter_min", "[n_pes, rows, cols]", "[rows, cols]");
  EXPECT_TRUE(has(part, "inputs[p][\"input\"][pe] for p in range(n_pes)")) << part;
  EXPECT_TRUE(has(part, "values.amin(0)"));
  EXPECT_TRUE(has(part, "REPLICATED = False"));
  const std::string flat = test_with("reduce_scatter", "[rows, cols]", "[rows / n_pes, cols]");
  EXPECT_TRUE(has(flat, "inputs[p][\"input\"].chunk(n_pes)[pe] for p")) << flat;
}

TEST(PythonGolden, JoinsAndCutsAsTheShapesSay) {
  EXPECT_TRUE(
      has(test_with("all_gather", "[rows, cols]", "[n_pes, rows, cols]"), "torch.stack([in"));
  EXPECT_TRUE(
      has(test_with("all_gather", "[rows, cols]", "[n_pes * rows, cols]"), "torch.cat([in"));
  const std::string root = "  attrs: [{name: root, type: int, default: 0}]\n  outputs:\n";
  const auto scatter = [&](const char* input, const char* output) {
    return test_of(contract::read(
        contract::changed(contract::with_golden("scatter", input, output), "  outputs:\n", root)));
  };
  EXPECT_TRUE(has(scatter("[n_pes, rows, cols]", "[rows, cols]"),
                  "inputs[attrs[\"root\"]][\"input\"][pe].clone()"));
  EXPECT_TRUE(has(scatter("[rows, cols]", "[rows / n_pes, cols]"),
                  "inputs[attrs[\"root\"]][\"input\"].chunk(n_pes)[pe].clone()"));
}

TEST(PythonGolden, PermutesByATable) {
  const std::string design = contract::changed(
      contract::changed(contract::with_golden("permute", "[rows, cols]", "[rows, cols]"),
                        "  outputs:\n",
                        "    - {name: sources, dtype: int64, shape: \"[n_pes]\"}\n  outputs:\n"),
      "  block_dim",
      "  shared: [sources]\n  block_dim");
  const std::string test = test_of(contract::read(
      design,
      contract::changed(contract::kGoodHeader, "uint8_t* gva", "int64_t* sources, uint8_t* gva")));
  EXPECT_TRUE(has(test, "inputs[int(inputs[pe][\"sources\"][pe])][\"input\"].clone()")) << test;
  EXPECT_TRUE(has(test, "inputs[0][\"sources\"][target] = source"));
  EXPECT_TRUE(has(test, "REPLICATED = False"));
}

TEST(PythonGolden, ComparesByToleranceWhatWasComputedInFloat) {
  const std::string row = "TOLERANCES = {\"float16\": (2**-8, 2**-7, 2**-10)}\n";
  const std::string sum = contract::with_golden("all_reduce", "[rows, cols]", "[rows, cols]");
  const auto test = [](const std::string& design) { return test_of(contract::read(design)); };
  EXPECT_TRUE(has(test(sum), row)) << test(sum);
  EXPECT_TRUE(has(test(contract::changed(sum, "[int32, fp16]", "[fp32, bf16]")),
                  "{\"bfloat16\": (2**-7, 2**-6, 2**-7), \"float32\": (2**-11, 2**-10, 2**-14)}"));
  const auto asked = [&](const char* tolerance) {
    const std::string key = fmt::format("  tolerance: {}\n  oracle:", tolerance);
    return test(contract::changed(sum, "  oracle:", key));
  };
  EXPECT_TRUE(has(asked("{rtol: 1e-3, atol: 0.005}"), "{\"float16\": (0.001, 0.001, 2**-10)}"));
  EXPECT_TRUE(has(asked("{rtol: 0.005, atol: 0.005}"), "{\"float16\": (2**-8, 0.005, 2**-10)}"));
  EXPECT_TRUE(has(asked("{rtol: 0.1, atol: 0.1}"), row)) << "never wider than the standard";
  EXPECT_TRUE(has(asked("{rtol: 0.001}"), row)) << "G004 says that it is not kept";
  const std::string none = "TOLERANCES = {}\n";
  EXPECT_TRUE(has(test(contract::changed(sum, "[int32, fp16]", "[int32]")), none));
  EXPECT_TRUE(has(test_with("all_reduce_min", "[rows, cols]", "[rows, cols]"), none));
  EXPECT_TRUE(has(test(contract::kGoodDesign), none));
  const std::string own =
      contract::changed(contract::kGoodDesign, "  block_dim", "  golden: document\n  block_dim") +
      kGoldenBlock;
  EXPECT_TRUE(has(test(own), none)) << "op_kind transport moves";
  EXPECT_TRUE(has(test(own), "REPLICATED = None"));
  EXPECT_TRUE(has(test(contract::changed(own, "transport", "compute")), row));
}

}  // namespace
}  // namespace shmem_bind::binding
