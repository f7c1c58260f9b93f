#include "tool/contract/call_values.h"

#include <gtest/gtest.h>

#include "tool/contract/testing.h"

namespace shmem_bind::contract {
namespace {

std::string refused(const Contract& contract, std::map<std::string, int64_t> symbols) {
  const Case test{"one", std::move(symbols), contract.cases[0].attributes};
  return refusal(contract, {test, Dtype::kFp16, 2, 1});
}

Contract contract_requiring(const std::string& condition) {
  return *read_changed("  block_dim: \"8\"",
                       "  require: [\"" + condition + "\"]\n  block_dim: \"8\"")
              .contract;
}

TEST(Refusal, AllowsWhatNoConditionExcludes) {
  EXPECT_EQ(refused(*read(kGoodDesign).contract, {{"rows", 513}, {"cols", 257}}), "");
  EXPECT_EQ(refused(*read(kGoodDesign).contract, {{"rows", 0}, {"cols", 8}}), "");
}

TEST(Refusal, NamesTheConditionThatDoesNotHold) {
  const Contract contract = contract_requiring("rows > 0");
  EXPECT_EQ(refused(contract, {{"rows", 1}, {"cols", 8}}), "");
  EXPECT_EQ(refused(contract, {{"rows", 0}, {"cols", 8}}), "rows > 0");
}

TEST(Refusal, AsksConditionsAboutTensorsOfTheDtype) {
  const Contract contract = contract_requiring("bytes(input) <= 256");
  EXPECT_EQ(refused(contract, {{"rows", 1}, {"cols", 128}}), "");
  EXPECT_EQ(refused(contract, {{"rows", 1}, {"cols", 129}}), "bytes(input) <= 256");
}

TEST(Refusal, NamesABoundOfASymbol) {
  const Contract contract =
      *read_changed("  state: \"4096 * n_pes\"", "  max: {rows: 16}\n  state: \"4096 * rows\"")
           .contract;
  EXPECT_EQ(refused(contract, {{"rows", 16}, {"cols", 1}}), "");
  EXPECT_EQ(refused(contract, {{"rows", 17}, {"cols", 1}}), "rows is at most 16");
}

TEST(Refusal, NamesBlocksAndArgumentsWithoutAValue) {
  const Contract blocks = *read_changed("block_dim: \"8\"", "block_dim: \"min(rows, 8)\"").contract;
  EXPECT_EQ(refused(blocks, {{"rows", 0}, {"cols", 1}}), "block_dim");
  const Contract narrow =
      *read(kGoodDesign, changed(kGoodHeader, "int64_t elements", "int32_t elements")).contract;
  EXPECT_EQ(refused(narrow, {{"rows", 1 << 16}, {"cols", 1 << 14}}), "");
  EXPECT_EQ(refused(narrow, {{"rows", 1 << 16}, {"cols", 1 << 16}}), "arguments.elements");
}

}  // namespace
}  // namespace shmem_bind::contract
