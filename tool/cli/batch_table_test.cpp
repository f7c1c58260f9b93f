#include "tool/cli/batch_table.h"

#include <gtest/gtest.h>

namespace shmem_bind::cli {
namespace {

int worst_of(const std::vector<int>& codes) {
  std::vector<BatchRow> rows;
  for (const int code : codes) {
    rows.push_back({"op", BatchState::kFailed, "", code, {}, {}});
  }
  return worst_exit_code(rows);
}

TEST(BatchTable, TakesTheLatestStageForTheWorst) {
  EXPECT_EQ(worst_of({}), 0);
  EXPECT_EQ(worst_of({0, 0}), 0);
  EXPECT_EQ(worst_of({0, 14}), 14);
  EXPECT_EQ(worst_of({14, 10}), 10);
  EXPECT_EQ(worst_of({13, 12, 10, 14}), 13);
}

TEST(BatchTable, TakesAFailureOfTheMachineForWorseThanAnyVerdict) {
  EXPECT_EQ(worst_of({13, 1, 0}), 1);
}

TEST(BatchTable, AlignsItsColumnsAndCountsTheStates) {
  const std::vector<BatchRow> rows = {
      {"custom-ops/gather", BatchState::kVerified, "", 0, {2, 8}, 12.34},
      {"custom-ops/all_to_all", BatchState::kFailed, "no PE answered", 13, {2}, 3.0},
      {"custom-ops/scatter", BatchState::kUnverified, "not run on 8 PEs", 14, {2}, 3.0},
      {"x", BatchState::kSkipped, "torch_required is false", 0, {}, {}}};
  EXPECT_EQ(batch_table(rows),
            "operator               state       PEs       seconds  why\n"
            "custom-ops/gather      verified    2,8          12.3\n"
            "custom-ops/all_to_all  failed      2             3.0  no PE answered\n"
            "custom-ops/scatter     unverified  2             3.0  not run on 8 PEs\n"
            "x                      skipped     -               -  torch_required is false\n"
            "4 operators: 1 verified, 1 failed, 1 unverified, 1 skipped\n");
}

}  // namespace
}  // namespace shmem_bind::cli
