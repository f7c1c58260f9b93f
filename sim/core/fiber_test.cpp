#include "sim/core/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shmem_sim {
namespace {

TEST(Fiber, SuspendsAtAnyDepthAndGoesOnThere) {
  std::string trace;
  const std::function<void(int)> descend = [&](int depth) {
    if (depth == 0) {
      Fiber::suspend();
    } else {
      descend(depth - 1);
    }
    trace += std::to_string(depth);
  };
  Fiber fiber([&] { descend(3); });
  fiber.resume();
  EXPECT_EQ(trace, "");
  EXPECT_FALSE(fiber.ended());
  fiber.resume();
  EXPECT_EQ(trace, "0123");
  EXPECT_TRUE(fiber.ended());
}

TEST(Fiber, ExceptionsOfInterleavedFibersDoNotMix) {
  std::vector<std::string> caught;
  const auto body = [&](const std::string& name) {
    return [&caught, name] {
      try {
        Fiber::suspend();
        throw std::runtime_error(name);
      } catch (const std::exception&) {
        Fiber::suspend();  // inside the handler
        try {
          throw;
        } catch (const std::exception& again) {
          caught.emplace_back(again.what());
        }
      }
    };
  };
  Fiber first(body("first"));
  Fiber second(body("second"));
  for (int i = 0; i < 3; ++i) {
    first.resume();
    second.resume();
  }
  EXPECT_EQ(caught, (std::vector<std::string>{"first", "second"}));
}

TEST(Fiber, GoesOnOnAnotherThread) {
  int steps = 0;
  Fiber fiber([&] {
    ++steps;
    Fiber::suspend();
    ++steps;
  });
  fiber.resume();
  std::thread([&] { fiber.resume(); }).join();
  EXPECT_EQ(steps, 2);
  EXPECT_TRUE(fiber.ended());
}

TEST(Fiber, ManyAreCheap) {
  int sum = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (int i = 0; i < 64; ++i) {
      fibers.push_back(std::make_unique<Fiber>([&sum] {
        Fiber::suspend();
        ++sum;
      }));
      fibers.back()->resume();
    }
    for (const auto& fiber : fibers) {
      fiber->resume();
    }
  }
  EXPECT_EQ(sum, 50 * 64);
}

TEST(Fiber, RunsAgainOnTheSameStack) {
  std::vector<const void*> places;
  Fiber fiber([&places] {
    const int local = 0;
    places.push_back(&local);
    Fiber::suspend();
  });
  for (int round = 0; round < 3; ++round) {
    fiber.resume();
    EXPECT_FALSE(fiber.ended());
    fiber.resume();
    EXPECT_TRUE(fiber.ended());
    fiber.rearm();
    EXPECT_FALSE(fiber.ended());
  }
  EXPECT_EQ(places.size(), 3u);
#ifndef __SANITIZE_ADDRESS__  // locals may lie on a fake stack
  EXPECT_EQ(places[0], places[2]);
#endif
}

TEST(Fiber, KnowsTheGuardBelowItsStack) {
  int outside = 0;
  EXPECT_FALSE(Fiber::is_overflow(&outside));
  bool local_is = true;
  bool below_is = false;
  Fiber fiber([&] {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    local_is = Fiber::is_overflow(here);
    below_is = Fiber::is_overflow(here - Fiber::kStackBytes);
  });
  fiber.resume();
  EXPECT_FALSE(local_is);
  EXPECT_TRUE(below_is);
}

TEST(Fiber, HasRoomForTheLocalsOfAKernel) {
  int sum = 0;
  Fiber fiber([&sum] {
    volatile char locals[160 << 10];
    for (size_t i = 0; i < sizeof locals; i += 1024) {
      locals[i] = 1;
      sum += locals[i];
    }
  });
  fiber.resume();
  EXPECT_EQ(sum, 160);
}

}  // namespace
}  // namespace shmem_sim
