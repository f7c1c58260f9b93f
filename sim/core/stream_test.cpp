#include "sim/core/stream.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sim/core/finding.h"
#include "sim/core/wait.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;

class StreamFixture : public testing::Test {
 protected:
  void SetUp() override { set_current_device(0); }
  void TearDown() override {
    destroy_stream(stream_);
    destroy_stream(other_);
    reset_device(0);
  }
  Stream* stream_ = create_stream(0);
  Stream* other_ = create_stream(0);
};

TEST_F(StreamFixture, WorkOfOneStreamIsInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    enqueue(stream_, "task", [&order, i] {
      order.push_back(i);
      return Status{};
    });
  }
  ASSERT_TRUE(synchronize(stream_).ok());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(order[static_cast<size_t>(i)], i);
  }
}

TEST_F(StreamFixture, AnEventOrdersTwoStreams) {
  std::atomic<bool> first{false};
  bool seen = false;
  Event* event = create_event();
  enqueue(stream_, "slow", [&first] {
    std::this_thread::sleep_for(20ms);
    first = true;
    return Status{};
  });
  record_event(event, stream_);
  wait_event(other_, event);
  enqueue(other_, "after", [&] {
    seen = first;
    return Status{};
  });
  ASSERT_TRUE(synchronize(other_).ok());
  EXPECT_TRUE(seen);
  EXPECT_TRUE(event_done(event));
  EXPECT_GT(event_time_ns(event), 0);
  destroy_event(event);
}

TEST_F(StreamFixture, AnEventThatIsRecordedAgainDoesNotHoldEarlierWaiters) {
  Event* event = create_event();
  std::atomic<bool> open{false};
  record_event(event, stream_);
  wait_event(other_, event);
  enqueue(stream_, "gate", [&open] {
    while (!open) {
      std::this_thread::yield();
    }
    return Status{};
  });
  record_event(event, stream_);
  EXPECT_TRUE(is_event(event));
  std::thread opener([&open] {
    std::this_thread::sleep_for(10ms);
    open = true;
  });
  ASSERT_TRUE(synchronize(other_).ok());
  opener.join();
  ASSERT_TRUE(synchronize(stream_).ok());
  destroy_event(event);
  EXPECT_FALSE(is_event(event));
}

TEST_F(StreamFixture, AnErrorStaysUntilTheDeviceIsReset) {
  bool ran = false;
  enqueue(stream_, "bad", [] { return failed(7, "broken"); });
  enqueue(stream_, "later", [&ran] {
    ran = true;
    return Status{};
  });
  EXPECT_EQ(synchronize(stream_).code, 7);
  EXPECT_EQ(synchronize(other_).code, 7);
  EXPECT_EQ(synchronize_device(0).code, 7);
  EXPECT_FALSE(ran);
  reset_device(0);
  EXPECT_TRUE(synchronize_device(0).ok());
}

TEST_F(StreamFixture, ASynchronizeWithATimeoutComesBack) {
  std::atomic<bool> open{false};
  enqueue(stream_, "gate", [&open] {
    const auto limit = std::chrono::steady_clock::now() + 5s;
    while (!open && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    return Status{};
  });
  std::thread opener([&open] {
    std::this_thread::sleep_for(50ms);
    open = true;
  });
  KernelLaunch never;
  never.name = "never";
  std::atomic<bool> end{false};
  never.body = [&end] {
    const auto done = [&end] { return end.load(); };
    const WaitPlace place{"test", nullptr, nullptr, nullptr};
    wait_until(place, Ready(done));
  };
  enqueue_launch(other_, std::move(never));
  EXPECT_EQ(synchronize(other_, 100ms).code, kSynchronizeTimeout);
  end = true;
  opener.join();
  EXPECT_TRUE(synchronize(other_).ok());
}

TEST_F(StreamFixture, TwoThreadsMaySynchronizeAtOnce) {
  std::atomic<int> done{0};
  for (int i = 0; i < 200; ++i) {
    enqueue(i % 2 == 0 ? stream_ : other_, "task", [&done] {
      ++done;
      return Status{};
    });
  }
  std::thread second([this] {
    set_current_device(0);
    EXPECT_TRUE(synchronize(other_).ok());
  });
  EXPECT_TRUE(synchronize(stream_).ok());
  second.join();
  EXPECT_EQ(done, 200);
}

TEST_F(StreamFixture, AllBlocksOfALaunchAreLiveAtOnce) {
  constexpr int kBlocks = 64;
  std::vector<int> arrived;
  KernelLaunch launch;
  launch.name = "meet";
  launch.block_count = kBlocks;
  launch.body = [&arrived] {
    arrived.push_back(static_cast<int>(current_block()->index));
    sync_all_blocks();
    EXPECT_EQ(arrived.size(), static_cast<size_t>(kBlocks));
    sync_all_blocks();
  };
  enqueue_launch(stream_, std::move(launch));
  ASSERT_TRUE(synchronize(stream_).ok());
  EXPECT_EQ(arrived.size(), static_cast<size_t>(kBlocks));
}

TEST_F(StreamFixture, ABlockThatWaitsLetsOthersRun) {
  std::atomic<uint32_t> word{0};
  KernelLaunch launch;
  launch.name = "two";
  launch.block_count = 2;
  launch.body = [&word] {
    if (current_block()->index == 0) {
      const auto set = [&word] { return word.load() == 5; };
      const WaitPlace place{"test", &word, nullptr, nullptr};
      wait_until(place, Ready(set));
    } else {
      yield();
      word = 5;
      publish(&word, sizeof word);
    }
  };
  enqueue_launch(stream_, std::move(launch));
  ASSERT_TRUE(synchronize(stream_).ok());
}

TEST_F(StreamFixture, AnExceptionThatLeavesABlockIsAFaultOfTheDevice) {
  const int64_t before = finding_count();
  KernelLaunch launch;
  launch.name = "throws";
  launch.block_count = 4;
  launch.body = [] {
    if (current_block()->index == 2) {
      throw std::runtime_error("no such luck");
    }
  };
  enqueue_launch(stream_, std::move(launch));
  const Status status = synchronize(stream_);
  EXPECT_EQ(status.code, kKernelException);
  EXPECT_NE(status.message.find("no such luck"), std::string::npos);
  EXPECT_EQ(finding_count(), before + 1);
}

TEST_F(StreamFixture, AFailedKernelFreesTheBlocksThatWait) {
  KernelLaunch launch;
  launch.name = "fails";
  launch.block_count = 8;
  launch.body = [] {
    if (current_block()->index == 7) {
      fail_kernel(failed(kKernelException, "stop"));
    }
    sync_all_blocks();  // would never be complete
  };
  enqueue_launch(stream_, std::move(launch));
  EXPECT_EQ(synchronize(stream_).code, kKernelException);
}

TEST_F(StreamFixture, SynchronizingFromABlockIsAnErrorAndNoDeadlock) {
  Status inside;
  KernelLaunch launch;
  launch.name = "inside";
  launch.body = [&] { inside = synchronize(stream_); };
  enqueue_launch(stream_, std::move(launch));
  ASSERT_TRUE(synchronize(stream_).ok());
  EXPECT_EQ(inside.code, kKernelException);
}

TEST_F(StreamFixture, SynchronizingFromATaskIsAnErrorAndNoDeadlock) {
  std::vector<int32_t> codes;
  Event* event = create_event();
  record_event(event, other_);
  const int64_t before = finding_count();
  enqueue(stream_, "inside", [&] {
    codes = {synchronize(stream_).code, synchronize_device(0).code, synchronize_event(event).code};
    reset_device(0);  // refused
    return Status{};
  });
  ASSERT_TRUE(synchronize(stream_).ok());
  EXPECT_EQ(codes, std::vector<int32_t>(3, kKernelException));
  EXPECT_EQ(finding_count(), before + 1);
  destroy_event(event);
}

TEST_F(StreamFixture, AStreamMayBeDestroyedByATask) {
  Stream* doomed = create_stream(0);
  std::atomic<bool> ran{false};
  record_event(create_event(), doomed);
  enqueue(stream_, "destroys", [&] {
    enqueue(doomed, "last", [&ran] {
      ran = true;
      return Status{};
    });
    destroy_stream(doomed);
    return Status{};
  });
  ASSERT_TRUE(synchronize(stream_).ok());
  EXPECT_FALSE(is_stream(doomed));
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_TRUE(ran);
}

TEST_F(StreamFixture, ATaskThatThrowsIsAFaultOfTheDevice) {
  enqueue(stream_, "careless", []() -> Status { throw std::runtime_error("no such luck"); });
  const Status status = synchronize(stream_);
  EXPECT_EQ(status.code, kKernelException);
  EXPECT_NE(status.message.find("careless: exception: no such luck"), std::string::npos);
}

TEST_F(StreamFixture, AnEventTellsOfTheErrorOfItsDevice) {
  Event* event = create_event();
  EXPECT_TRUE(synchronize_event(event).ok());  // never recorded
  enqueue(stream_, "bad", [] { return failed(7, "broken"); });
  record_event(event, stream_);
  EXPECT_EQ(synchronize_event(event).code, 7);
  destroy_event(event);
}

TEST_F(StreamFixture, AnErrorOfOneDeviceIsNoErrorOfAnother) {
  Stream* elsewhere = create_stream(1);
  enqueue(stream_, "bad", [] { return failed(7, "broken"); });
  EXPECT_EQ(synchronize(stream_).code, 7);
  bool ran = false;
  enqueue(elsewhere, "good", [&ran] {
    ran = current_device() == 1;
    return Status{};
  });
  EXPECT_TRUE(synchronize(elsewhere).ok());
  EXPECT_TRUE(ran);
  destroy_stream(elsewhere);
}

TEST_F(StreamFixture, StreamsComeAndGoWhileAnotherThreadSynchronizesTheDevice) {
  std::atomic<bool> end{false};
  std::thread watcher([&end] {
    while (!end) {
      EXPECT_TRUE(synchronize_device(0).ok());
    }
  });
  std::atomic<int> ran{0};
  for (int i = 0; i < 200; ++i) {
    Stream* stream = create_stream(0);
    enqueue_launch(stream, {"short", 2, [&ran] { ++ran; }, {}});
    destroy_stream(stream);
  }
  end = true;
  watcher.join();
  EXPECT_EQ(ran, 400);
}

TEST_F(StreamFixture, LaunchesOfDifferentSizesFollowEachOther) {
  std::vector<int64_t> counts;
  for (const int64_t count : {1, 700, 3, 64, 1}) {
    enqueue_launch(stream_,
                   {"counts",
                    count,
                    [&counts] {
                      sync_all_blocks();
                      if (current_block()->index == 0) {
                        counts.push_back(current_block()->count);
                      }
                    },
                    {}});
  }
  ASSERT_TRUE(synchronize(stream_).ok());
  EXPECT_EQ(counts, (std::vector<int64_t>{1, 700, 3, 64, 1}));
}

TEST_F(StreamFixture, BlocksWorkAfterOthersHaveFailed) {
  for (int round = 0; round < 3; ++round) {
    enqueue_launch(stream_,
                   {"fails",
                    8,
                    [] {
                      if (current_block()->index == 5) {
                        fail_kernel(failed(9, "stop"));
                      }
                      sync_all_blocks();
                    },
                    {}});
    EXPECT_EQ(synchronize(stream_).code, 9);
    reset_device(0);
    int ran = 0;
    enqueue_launch(stream_,
                   {"works",
                    8,
                    [&ran] {
                      sync_all_blocks();
                      ++ran;
                    },
                    {}});
    EXPECT_TRUE(synchronize(stream_).ok());
    EXPECT_EQ(ran, 8);
  }
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHMEM_SIM_UNDER_TSAN 1
#endif
#endif

TEST_F(StreamFixture, AForkedChildHasAMachineOfItsOwn) {
#ifdef SHMEM_SIM_UNDER_TSAN
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads after a fork of a process "
                  "with threads";
#endif
  enqueue(stream_, "parent", [] { return Status{}; });
  ASSERT_TRUE(synchronize(stream_).ok());
  const pid_t child = fork();
  if (child == 0) {
    set_current_device(1);
    Stream* own = create_stream(1);
    bool ran = false;
    enqueue(own, "child", [&ran] {
      ran = true;
      return Status{};
    });
    const bool good = synchronize(own).ok() && ran;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace shmem_sim
