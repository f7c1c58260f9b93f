#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_operator.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

namespace shmem_sim::ascendc::tests {
namespace {

TEST(Half, SurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_value(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_value(half_bits(value)))) << bits;
    } else {
      EXPECT_EQ(half_bits(value), bits);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(half_bits(1.0f), 0x3c00);
  EXPECT_EQ(half_bits(2049.0f), half_bits(2048.0f));
  EXPECT_EQ(half_bits(2051.0f), half_bits(2052.0f));
  EXPECT_EQ(half_bits(std::nextafter(2049.0f, 3000.0f)), half_bits(2050.0f));
  EXPECT_EQ(half_bits(65519.0f), 0x7bff);
  EXPECT_EQ(half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(half_bits(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(half_bits(std::ldexp(1.0f, -25)), 0);
  EXPECT_EQ(half_bits(std::ldexp(1.5f, -25)), 1);
  EXPECT_EQ(half_bits(-0.0f), 0x8000);
}

TEST(Bfloat16, SurvivesTheWayThroughFloatAndRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = bfloat16_value(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(bfloat16_bits(value), bits);
    }
  }
  EXPECT_EQ(bfloat16_bits(float_from_bits(0x3f808000u)), 0x3f80);
  EXPECT_EQ(bfloat16_bits(float_from_bits(0x3f818000u)), 0x3f82);
  EXPECT_TRUE(std::isnan(bfloat16_value(bfloat16_bits(float_from_bits(0x7f800001u)))));
}

TEST(SixteenBitTypes, ConvertFromNumbersAndBack) {
  static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2 && sizeof(op::fp16_t) == 2 &&
                sizeof(op::bfloat16) == 2);
  static_assert(!std::is_same_v<half, op::fp16_t> && !std::is_same_v<bfloat16_t, op::bfloat16>);
  static_assert(std::is_same_v<half, float16_t>);
  EXPECT_EQ(static_cast<float>(half(3)), 3.0f);
  EXPECT_EQ(static_cast<float>(half(2.5)), 2.5f);
  EXPECT_EQ(static_cast<float>(op::fp16_t(uint32_t{7})), 7.0f);
  EXPECT_EQ(static_cast<float>(op::bfloat16(-0.5f)), -0.5f);
  half sum = 1.0f;
  sum += half(0.5f);
  EXPECT_TRUE(sum == half(1.5f));
  EXPECT_TRUE(half(1.0f) < bfloat16_t(2.0f));
}

}  // namespace
}  // namespace shmem_sim::ascendc::tests
