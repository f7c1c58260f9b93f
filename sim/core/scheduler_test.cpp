#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sim/core/job.h"
#include "sim/core/stream.h"
#include "sim/core/wait.h"
#include "tests/support/in_child.h"

// What the settings change: order of blocks, late transfers, stragglers. And how a process ends.

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using tests::in_child;

// Order in which 6 blocks pass 5 steps, in a launch of their own.
std::string order_of_blocks() {
  std::string trace;
  enqueue_launch(default_stream(0),
                 {"traced",
                  6,
                  [&trace] {
                    for (int step = 0; step < 5; ++step) {
                      trace += std::to_string(current_block()->index);
                      yield();
                    }
                  },
                  {}});
  EXPECT_TRUE(synchronize_device(0).ok());
  return trace;
}

// The same in a process of its own, adversarially.
std::string order_of_blocks_under(const std::string& seed) {
  const int file = memfd_create("order", 0);
  in_child({{"SHMEM_SIM_SEED", seed}}, [file] {
    const std::string order = order_of_blocks();
    EXPECT_EQ(write(file, order.data(), order.size()), static_cast<ssize_t>(order.size()));
  });
  std::string order(64, '\0');
  order.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(file, order.data(), 64, 0))));
  close(file);
  return order;
}

// Two transfers that complete when they are told to.
struct LateTransfers : BlockLocal {
  explicit LateTransfers(std::atomic<int>& counter) : done(counter) {}
  bool drained() const override { return left == 0; }
  void complete_one() override {
    --left;
    ++done;
  }
  void complete_all() override {
    while (left > 0) {
      complete_one();
    }
  }
  std::atomic<int>& done;
  int left = 2;
};

KernelLaunch with_late_transfers(std::atomic<int>& done, std::function<void()> body) {
  return {"late", 1, std::move(body), [&done](Block&) {
            return std::make_unique<LateTransfers>(done);
          }};
}

// How long a launch of an empty kernel takes until it is done.
Clock::duration time_of_a_launch(std::atomic<int>& done) {
  const auto begin = Clock::now();
  enqueue_launch(default_stream(0), with_late_transfers(done, [] {}));
  EXPECT_TRUE(synchronize_device(0).ok());
  return Clock::now() - begin;
}

TEST(BlockOrder, IsLaunchOrderByDefault) {
  in_child({}, [] { EXPECT_EQ(order_of_blocks().substr(0, 12), "012345012345"); });
}

TEST(BlockOrder, CanBeReversed) {
  in_child({{"SHMEM_SIM_BLOCK_ORDER", "reverse"}},
           [] { EXPECT_EQ(order_of_blocks().substr(0, 12), "543210543210"); });
}

TEST(BlockOrder, RepeatsWithItsSeed) {
  const std::string first = order_of_blocks_under("11");
  EXPECT_EQ(first.size(), 30u);
  EXPECT_NE(first.substr(0, 12), "012345012345");
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(order_of_blocks_under("11"), first);
  }
  EXPECT_NE(order_of_blocks_under("12"), first);
}

TEST(Transfers, ThatAreLeftCompleteAtOnceInAnEagerRun) {
  in_child({{"SHMEM_SIM_HOLD_US", "1000000"}}, [] {
    std::atomic<int> done{0};
    EXPECT_LT(time_of_a_launch(done), 500ms);
    EXPECT_EQ(done, 2);
  });
}

TEST(Transfers, ThatAreLeftAreHeldBackInAnAdversarialRun) {
  in_child({{"SHMEM_SIM_SEED", "3"}, {"SHMEM_SIM_HOLD_US", "20000"}}, [] {
    std::atomic<int> done{0};
    Clock::duration longest{};
    for (int launch = 0; launch < 10; ++launch) {
      longest = std::max(longest, time_of_a_launch(done));
    }
    EXPECT_EQ(done, 20);
    EXPECT_GT(longest, 2ms);
  });
}

TEST(Transfers, CompleteWhenEverybodyWaitsForThem) {
  in_child({{"SHMEM_SIM_SEED", "3"}, {"SHMEM_SIM_HOLD_US", "1000"}}, [] {
    std::atomic<int> done{0};
    enqueue_launch(default_stream(0), with_late_transfers(done, [&done] {
                     const auto all = [&done] { return done == 2; };
                     wait_until({"test"}, Ready(all));
                   }));
    EXPECT_TRUE(synchronize_device(0).ok());
    EXPECT_EQ(done, 2);
  });
}

TEST(Straggler, StartsLateOnItsPeOnly) {
  for (const char* slow_pe : {"0", "1"}) {
    in_child({{"SHMEM_SIM_SLOW_PE", slow_pe}, {"SHMEM_SIM_SLOW_US", "60000"}}, [&] {
      JobOptions alone;
      alone.heap_bytes = 4096;
      ASSERT_TRUE(join_job(alone).ok());
      const auto begin = Clock::now();
      Clock::duration started{};
      enqueue_launch(default_stream(0), {"late", 1, [&] { started = Clock::now() - begin; }, {}});
      EXPECT_TRUE(synchronize_device(0).ok());
      EXPECT_EQ(started >= 60ms, *slow_pe == '0');
      EXPECT_TRUE(leave_job().ok());
    });
  }
}

TEST(QueueDelay, HoldsOtherThreadsBackButNotTheFirst) {
  in_child({{"SHMEM_SIM_QUEUE_DELAY_US", "50000"}}, [] {
    std::string order;
    const auto add = [&order](char name) {
      enqueue(default_stream(0), "add", [&order, name] {
        order += name;
        return Status{};
      });
    };
    add('a');
    std::thread other([&] { add('o'); });
    std::this_thread::sleep_for(10ms);
    add('b');  // overtakes what the other thread was given before
    other.join();
    EXPECT_TRUE(synchronize_device(0).ok());
    EXPECT_EQ(order, "abo");
  });
}

// An object that device work uses and that is destroyed when the process exits.
struct Static {
  ~Static() { alive = false; }
  std::atomic<bool> alive{true};
};

// Ends the process by exit() with this much work on its way. The child's code is 0 unless work ran
// after static objects were destroyed.
void exit_with(const std::function<void()>& work) {
  const auto begin = Clock::now();
  in_child({}, [&] {
    set_current_device(0);
    work();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  });
  EXPECT_LT(Clock::now() - begin, 10s);
}

TEST(Exit, IsPossibleWhileABlockWaits) {
  exit_with([] {
    enqueue_launch(default_stream(0),
                   {"waits",
                    4,
                    [] {
                      const auto never = [] { return false; };
                      wait_until({"test"}, Ready(never));
                    },
                    {}});
    std::this_thread::sleep_for(20ms);  // asleep
  });
}

TEST(Exit, StopsWorkBeforeWhatItUsesIsGone) {
  exit_with([] {
    static Static used;
    static std::atomic<int> ran{0};
    create_stream(0);
    for (int i = 0; i < 200; ++i) {
      enqueue(default_stream(0), "slow", [] {
        if (!used.alive) {
          _exit(3);
        }
        ++ran;
        std::this_thread::sleep_for(2ms);
        return Status{};
      });
    }
    while (ran == 0) {
      std::this_thread::yield();
    }
    EXPECT_LT(ran, 200);
  });
}

TEST(Exit, DoesNotWaitForATaskThatDoesNotReturn) {
  exit_with([] {
    static std::atomic<bool> runs{false};
    enqueue(default_stream(0), "endless", [] {
      for (runs = true;;) {
        std::this_thread::sleep_for(1ms);
      }
      return Status{};
    });
    while (!runs) {
      std::this_thread::yield();
    }
  });
}

TEST(Exit, LetsAHandlerStillSynchronize) {
  exit_with([] {
    static std::atomic<int> ran{0};
    std::atexit([] {
      enqueue(default_stream(0), "late", [] {
        ++ran;
        return Status{};
      });
      if (!synchronize_device(0).ok() || ran != 1) {
        _exit(4);
      }
      reset_device(0);
    });
    default_stream(0);  // the machine is made, and stops, before the handler runs
    enqueue(default_stream(0), "nothing", [] { return Status{}; });
  });
}

}  // namespace
}  // namespace shmem_sim
