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

}  // namespace
}  // namespace shmem_sim
