#include "sim/core/yield_pause.h"

#include <gtest/gtest.h>

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;

// How long nobody yields after a slow yield at `now`.
std::chrono::nanoseconds length_of_pause(YieldPause& pause, YieldPause::Clock::time_point now) {
  pause.begin(now);
  std::chrono::nanoseconds length = 0ms;
  while (pause.holds(now + length)) {
    length += 1ms;
  }
  return length;
}

TEST(YieldPause, HoldsNothingBeforeASlowYield) {
  EXPECT_FALSE(YieldPause().holds(YieldPause::Clock::now()));
}

TEST(YieldPause, GrowsWhileYieldsStaySlow) {
  YieldPause pause;
  auto now = YieldPause::Clock::now();
  for (const auto expected : {1ms, 4ms, 16ms, 20ms, 20ms}) {
    EXPECT_EQ(length_of_pause(pause, now), expected);
    now += expected + 3ms;  // a yield that took 3 ms, right after the pause
  }
}

TEST(YieldPause, IsShortAgainAfterYieldsThatWereNot) {
  YieldPause pause;
  const auto now = YieldPause::Clock::now();
  pause.begin(now);
  pause.begin(now + 2ms);
  EXPECT_EQ(length_of_pause(pause, now + 6ms + 21ms), 1ms);
}

}  // namespace
}  // namespace shmem_sim
