#include "tool/verify/boundary_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tool/contract/testing.h"

namespace shmem_bind::verify {
namespace {

using Sizes = std::map<std::string, int64_t>;

contract::Contract contract_with(std::string_view from, std::string_view to) {
  return *contract::read_changed(from, to).contract;
}

contract::Contract good() {
  return *contract::read(contract::kGoodDesign).contract;
}

std::string requiring(const std::string& condition) {
  return "  require: [\"" + condition + "\"]\n  block_dim: \"8\"";
}

bool has_sizes(const std::vector<BoundaryCase>& cases, const Sizes& sizes) {
  return std::any_of(cases.begin(), cases.end(), [&](const BoundaryCase& item) {
    return item.test.symbols == sizes;
  });
}

TEST(BoundaryCases, AreMadeOfTheContractsSymbols) {
  const auto cases = boundary_cases(good(), 4);
  for (const auto& [rows, cols] : {std::pair{513, 257}, {7, 13}, {1, 256}, {83, 32}}) {
    EXPECT_TRUE(has_sizes(cases, {{"rows", rows}, {"cols", cols}})) << rows;
  }
  std::set<std::string> names;
  for (const BoundaryCase& item : cases) {
    names.insert(item.test.name);
  }
  EXPECT_EQ(names.size(), cases.size());
}

TEST(BoundaryCases, LeavePesUnequalShares) {
  for (const int64_t pes : {2, 3, 8}) {
    const auto cases = boundary_cases(good(), pes);
    EXPECT_TRUE(has_sizes(cases, {{"rows", 21 * pes - 1}, {"cols", 32}})) << pes;
  }
}

TEST(BoundaryCases, LieAroundABufferInBytesOfTheDtype) {
  std::set<int64_t> bytes;
  for (const BoundaryCase& item : boundary_cases(good(), 2)) {
    if (item.test.name.starts_with("UB edge")) {
      ASSERT_EQ(item.dtypes.size(), 1U);
      bytes.insert(item.test.symbols.at("rows") * item.test.symbols.at("cols") *
                   (item.dtypes[0] == "int32" ? 4 : 2));
    }
  }
  EXPECT_EQ(bytes.size(), 4U) << "the two dtypes have different sizes with a column more";
  EXPECT_GE(*bytes.begin(), 185 * 1024 - 64);
  EXPECT_LE(*bytes.rbegin(), 195 * 1024);
}

TEST(BoundaryCases, AreOnlyWhatComputeAccepts) {
  const auto cases =
      boundary_cases(contract_with("  block_dim: \"8\"", requiring("cols <= 32")), 2);
  EXPECT_TRUE(has_sizes(cases, {{"rows", 7}, {"cols", 13}}));
  EXPECT_FALSE(has_sizes(cases, {{"rows", 513}, {"cols", 257}}));
}

TEST(BoundaryCases, AreNotWhatIsDeclaredAnyway) {
  const auto contract = contract_with("  oracle: all_gather\n",
                                      "  oracle: all_gather\n  case_matrix:\n    - {case: mine, "
                                      "shape: \"[7, 13]\", category: functional}\n");
  EXPECT_FALSE(has_sizes(boundary_cases(contract, 2), {{"rows", 7}, {"cols", 13}}));
  EXPECT_TRUE(has_sizes(boundary_cases(contract, 2), {{"rows", 1}, {"cols", 256}}));
}

TEST(ZeroCase, HasNoElements) {
  const auto zero = zero_case(good(), 2);
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->test.symbols, (Sizes{{"rows", 0}, {"cols", 32}}));
  EXPECT_EQ(zero->dtypes, (std::vector<std::string>{"int32", "fp16"}));
}

TEST(ZeroCase, IsNoneWhereTheContractExcludesIt) {
  EXPECT_FALSE(zero_case(contract_with("  block_dim: \"8\"", requiring("rows > 0")), 2));
  EXPECT_FALSE(zero_case(contract_with("block_dim: \"8\"", "block_dim: \"min(rows, 8)\""), 2));
}

TEST(ZeroCase, TakesAttributesWithWhichItIsAllowed) {
  std::string design =
      contract::changed(contract::kGoodDesign,
                        "correctness:\n",
                        "  attrs:\n    - {name: halo, type: int, default: 1}\n"
                        "correctness:\n  case_matrix:\n"
                        "    - {case: xs, shape: \"[4, 4]\"}\n"
                        "    - {case: none, shape: \"[4, 4]\", attrs: {halo: 0}}\n");
  design = contract::changed(design, "  block_dim: \"8\"", requiring("halo <= rows"));
  const auto zero = zero_case(*contract::read(design).contract, 2);
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->test.attributes.at("halo"), "0");
}

}  // namespace
}  // namespace shmem_bind::verify
