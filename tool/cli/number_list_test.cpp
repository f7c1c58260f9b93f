#include "tool/cli/number_list.h"

#include <gtest/gtest.h>

#include <string>

namespace shmem_bind::cli {
namespace {

using Numbers = std::vector<int64_t>;

TEST(NumberList, TakesNumbersAndRanges) {
  EXPECT_EQ(parse_number_list("7").value(), Numbers({7}));
  EXPECT_EQ(parse_number_list("1,2,5..9").value(), Numbers({1, 2, 5, 6, 7, 8, 9}));
  EXPECT_EQ(parse_number_list("3..3").value(), Numbers({3}));
  EXPECT_EQ(parse_number_list("1..200").value().size(), 200U);
  EXPECT_EQ(parse_number_list("9223372036854775807").value(), Numbers({9223372036854775807}));
}

TEST(NumberList, NamesTheBadPart) {
  for (const std::string bad : {"", "0", "-1", "x", "1..", "..3", "1...3", "1.5", "9..2", "1 "}) {
    const auto numbers = parse_number_list("4," + bad);
    ASSERT_FALSE(numbers.ok()) << bad;
    EXPECT_NE(numbers.failure().text.find("'" + bad + "'"), std::string::npos) << bad;
  }
}

TEST(NumberList, RefusesMoreNumbersThanAnyoneCanRun) {
  EXPECT_EQ(parse_number_list("1..100000").value().size(), 100000U);
  EXPECT_FALSE(parse_number_list("1..100001").ok());
  EXPECT_FALSE(parse_number_list("1..9223372036854775807").ok());
  EXPECT_FALSE(parse_number_list("1..100000,7").ok());
}

}  // namespace
}  // namespace shmem_bind::cli
