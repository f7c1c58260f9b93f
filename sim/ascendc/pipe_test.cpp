#include "sim/ascendc/pipe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/kernel_fixture.h"

// One test per ordering rule. A rule that orders is shown by a program that is right under every
// seed; a rule that does not order by a program that shows it.

namespace shmem_sim::ascendc::tests {
namespace {

using AscendC::DataCopy;
using AscendC::HardEvent;
using AscendC::PipeBarrier;
using AscendC::SetFlag;
using AscendC::SyncAll;
using AscendC::WaitFlag;

constexpr int kCount = 1024;
constexpr uint32_t kBytes = kCount * 4;

template <HardEvent event>
void pass(int id) {
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

// How many of the seeds make `body` return true.
int seeds_that(const std::function<bool()>& body) {
  constexpr int kHit = 42;
  int hits = 0;
  for (const std::string& seed : kSeeds) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      shmem_sim::tests::run_as_child({{"SHMEM_SIM_SEED", seed}, {"SHMEM_SIM_HOLD_US", "200"}}, [&] {
        if (body() && !testing::Test::HasFailure()) {
          _exit(kHit);
        }
      });
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kHit))
        << "seed " << seed;
    hits += WIFEXITED(status) && WEXITSTATUS(status) == kHit ? 1 : 0;
  }
  return hits;
}

// The same for one of several tries: what depends on a toss of the seed's coin.
int seeds_that_in_some_try(const std::function<bool()>& body) {
  return seeds_that([&] {
    bool hit = false;
    for (int i = 0; i < 5; ++i) {
      hit = body() || hit;
    }
    return hit;
  });
}

TEST(EagerPipes, DoEverythingWhenItIsIssued) {
  eagerly([] {
    int32_t* from = device_numbers(kCount, 100);
    int32_t* to = device_numbers(kCount, 0);
    int32_t seen = 0;
    const Status status = run_kernel(1, [&] {
      DataCopy(local(0, kCount), global(from), kCount);
      DataCopy(global(to), local(0, kCount), kCount);
      seen = to[5];
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(seen, 105);
  });
}

TEST(Pipes, HoldAStoreUntilTheScalarPipeWaitsForIt) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    int32_t before = -1;
    int32_t after = -1;
    const Status status = run_kernel(1, [&] {
      local(0, kCount).SetValue(5, 42);
      DataCopy(global(to), local(0, kCount), kCount);
      before = to[5];
      pass<HardEvent::MTE3_S>(0);
      after = to[5];
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(before, 5);
    EXPECT_EQ(after, 42);
  });
}

TEST(Pipes, HoldALoadUntilTheScalarPipeWaitsForIt) {
  adversarially([] {
    int32_t* from = device_numbers(kCount, 100);
    int32_t before = -1;
    int32_t after = -1;
    const Status status = run_kernel(1, [&] {
      DataCopy(local(0, kCount), global(from), kCount);
      before = local(0, kCount).GetValue(5);
      pass<HardEvent::MTE2_S>(3);
      after = local(0, kCount).GetValue(5);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(before, static_cast<int32_t>(0xA5A5A5A5));
    EXPECT_EQ(after, 105);
  });
}

TEST(Pipes, DoNotWaitForAStoreWhenOnlyMte2WaitsForIt) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    int32_t seen = -1;
    const Status status = run_kernel(1, [&] {
      DataCopy(global(to), local(0, kCount), kCount);
      pass<HardEvent::MTE3_MTE2>(0);  // orders later loads, not the scalar pipe
      seen = to[5];
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(seen, 5);
  });
}

TEST(PipeBarrierOfOnePipe, CompletesThatPipeOnly) {
  adversarially([] {
    int32_t* from = device_numbers(kCount, 100);
    int32_t* to = device_numbers(kCount, 0);
    int32_t stored = -1;
    int32_t loaded = -1;
    const Status status = run_kernel(1, [&] {
      local(0, kCount).SetValue(0, 77);
      DataCopy(local(kBytes, kCount), global(from), kCount);
      DataCopy(global(to), local(0, kCount), kCount);
      PipeBarrier<PIPE_MTE3>();
      stored = to[0];
      loaded = local(kBytes, kCount).GetValue(0);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(stored, 77);
    EXPECT_NE(loaded, 100);
  });
}

TEST(PipeBarrierOfAllPipes, CompletesEverything) {
  adversarially([] {
    int32_t* from = device_numbers(kCount, 100);
    int32_t* to = device_numbers(kCount, 0);
    int32_t loaded = -1;
    const Status status = run_kernel(1, [&] {
      DataCopy(local(0, kCount), global(from), kCount);
      pass<HardEvent::MTE2_MTE3>(0);
      DataCopy(global(to), local(0, kCount), kCount);
      PipeBarrier<PIPE_ALL>();
      loaded = to[9];
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(loaded, 109);
  });
}

TEST(KernelEnd, CompletesWhatIsLeft) {
  both_ways([] {
    int32_t* to = device_numbers(kCount, 0);
    const Status status = run_kernel(3, [&] {
      if (AscendC::GetBlockIdx() == 1) {
        local(0, kCount).SetValue(5, 42);
        DataCopy(global(to), local(0, kCount), kCount);
      }
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(to[5], 42);
  });
}

// The usual chain of loads and stores through one buffer; either flag can be left out.
bool chunks_arrive(bool loaded_flag, bool reuse_flag) {
  int32_t* from = device_numbers(4 * kCount, 100);
  int32_t* to = device_numbers(4 * kCount, 0);
  const Status status = run_kernel(1, [&] {
    for (int chunk = 0; chunk < 4; ++chunk) {
      if (chunk > 0 && reuse_flag) {
        pass<HardEvent::MTE3_MTE2>(1);
      }
      DataCopy(local(0, kCount), global(from + chunk * kCount), kCount);
      if (loaded_flag) {
        pass<HardEvent::MTE2_MTE3>(0);
      }
      DataCopy(global(to + chunk * kCount), local(0, kCount), kCount);
    }
  });
  EXPECT_TRUE(status.ok()) << status.message;
  return std::equal(from, from + 4 * kCount, to);
}

TEST(FlagsBetweenLoadAndStore, KeepTheChunksRight) {
  both_ways([] { EXPECT_TRUE(chunks_arrive(true, true)); });
}

TEST(FlagsBetweenLoadAndStore, AreNeededBeforeTheStore) {
  EXPECT_GT(seeds_that_in_some_try([] { return !chunks_arrive(false, true); }), 0);
}

TEST(FlagsBetweenLoadAndStore, AreNeededBeforeTheBufferIsUsedAgain) {
  EXPECT_GT(seeds_that_in_some_try([] { return !chunks_arrive(true, false); }), 0);
}

TEST(AStore, ReadsItsSourceWhenItIsDone) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    const Status status = run_kernel(1, [&] {
      local(0, kCount).SetValue(5, 42);
      DataCopy(global(to), local(0, kCount), kCount);
      local(0, kCount).SetValue(5, 43);  // too early: the store is in flight
      pass<HardEvent::MTE3_S>(0);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(to[5], 43);
  });
}

TEST(SyncAllBlocks, CompletesNoTransfer) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    int32_t seen[2] = {-1, -1};
    const Status status = run_kernel(2, [&] {
      for (int round = 0; round < 2; ++round) {
        if (AscendC::GetBlockIdx() == 0) {
          local(0, kCount).SetValue(5, 42 + round);
          DataCopy(global(to), local(0, kCount), kCount);
          if (round == 1) {
            PipeBarrier<PIPE_ALL>();
          }
        }
        SyncAll();
        if (AscendC::GetBlockIdx() == 1) {
          seen[round] = to[5];
        }
        SyncAll();
      }
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(seen[0], 5);
    EXPECT_EQ(seen[1], 43);
  });
}

TEST(ALateTransfer, IsDoneWhenNothingElseCanRun) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    const Status status = run_kernel(2, [&] {
      if (AscendC::GetBlockIdx() == 0) {
        local(0, kCount).SetValue(5, 42);
        DataCopy(global(to), local(0, kCount), kCount);
      }
      while (global(to).GetValue(5) != 42) {  // nobody forces it
      }
    });
    EXPECT_TRUE(status.ok()) << status.message;
  });
}

TEST(ALateTransfer, CanBeSeenInPieces) {
  const auto in_pieces = [] {
    int32_t* to = device_numbers(4 * kCount, 0);
    bool pieces = false;
    const Status status = run_kernel(2, [&] {
      const AscendC::GlobalTensor<int32_t> tensor = global(to);
      if (AscendC::GetBlockIdx() == 0) {
        for (uint32_t i = 0; i < 4 * kCount; ++i) {
          local(0, 4 * kCount).SetValue(i, -7);
        }
        DataCopy(tensor, local(0, 4 * kCount), 4 * kCount);
      } else {
        int64_t arrived = 0;
        while (arrived == 0) {
          arrived = std::count(to, to + 4 * kCount, -7);
          tensor.GetValue(0);
        }
        pieces = arrived < 4 * kCount;
      }
      SyncAll();
    });
    EXPECT_TRUE(status.ok()) << status.message;
    return pieces;
  };
  EXPECT_GT(seeds_that_in_some_try(in_pieces), 0);
}

TEST(AWaitThatNothingCanEnd, IsAFindingOfTheScalarPipe) {
  both_ways([] {
    const Status status = run_kernel(1, [] { WaitFlag<HardEvent::MTE3_S>(2); });
    EXPECT_NE(status.message.find("flag-never-set"), std::string::npos) << status.message;
    EXPECT_NE(status.message.find("MTE3_S(2)"), std::string::npos) << status.message;
  });
}

TEST(AWaitThatNothingCanEnd, IsAFindingOfABarrier) {
  both_ways([] {
    const Status status = run_kernel(1, [] {
      WaitFlag<HardEvent::S_MTE3>(0);
      PipeBarrier<PIPE_ALL>();
    });
    EXPECT_NE(status.message.find("pipe MTE3 waits for the flag S_MTE3(0)"), std::string::npos)
        << status.message;
  });
}

TEST(AWaitThatNothingCanEnd, IsAFindingAtTheEndOfTheKernel) {
  both_ways([] {
    const Status status = run_kernel(2, [] { WaitFlag<HardEvent::MTE2_MTE3>(0); });
    EXPECT_NE(status.message.find("MTE2_MTE3(0)"), std::string::npos) << status.message;
    EXPECT_GE(finding_count(), 1);
  });
}

TEST(PipesThatWaitForEachOther, AreAFinding) {
  both_ways([] {
    const Status status = run_kernel(1, [] {
      WaitFlag<HardEvent::MTE3_MTE2>(0);
      SetFlag<HardEvent::MTE2_MTE3>(0);
      WaitFlag<HardEvent::MTE2_MTE3>(0);
      SetFlag<HardEvent::MTE3_MTE2>(0);
      PipeBarrier<PIPE_MTE3>();
    });
    EXPECT_NE(status.message.find("flag-never-set"), std::string::npos) << status.message;
  });
}

TEST(AWait, MayBeIssuedBeforeTheScalarPipeSetsItsFlag) {
  both_ways([] {
    int32_t* from = device_numbers(kCount, 100);
    int32_t seen[2] = {-1, -1};
    const Status status = run_kernel(2, [&] {
      if (AscendC::GetBlockIdx() == 0) {
        WaitFlag<HardEvent::S_MTE2>(0);
        DataCopy(local(0, kCount), global(from), kCount);
        seen[0] = local(0, kCount).GetValue(1);
        SyncAll();  // suspended meanwhile, and still nothing is loaded
        SetFlag<HardEvent::S_MTE2>(0);
        pass<HardEvent::MTE2_S>(0);
        seen[1] = local(0, kCount).GetValue(1);
      } else {
        SyncAll();
      }
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_NE(seen[0], 101);
    EXPECT_EQ(seen[1], 101);
  });
}

TEST(AFlagThatIsSetTwice, IsAFinding) {
  both_ways([] {
    const Status status = run_kernel(1, [] {
      SetFlag<HardEvent::MTE3_S>(1);
      SetFlag<HardEvent::MTE3_S>(1);
    });
    EXPECT_NE(status.message.find("flag-set-twice"), std::string::npos) << status.message;
  });
}

TEST(AFlagThatIsLeftSet, IsAFindingButNoError) {
  both_ways([] {
    const Status status = run_kernel(1, [] { SetFlag<HardEvent::V_MTE3>(7); });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_NE(findings().find("flag-unpaired"), std::string::npos);
    EXPECT_NE(findings().find("V_MTE3(7)"), std::string::npos);
  });
}

TEST(AnEventId, IsZeroToSeven) {
  eagerly([] {
    for (const int id : {-1, 8}) {
      const Status status = run_kernel(1, [id] { SetFlag<HardEvent::MTE3_S>(id); });
      EXPECT_NE(status.message.find("bad-event-id"), std::string::npos) << status.message;
      reset_device(0);
    }
    EXPECT_TRUE(run_kernel(1, [] { pass<HardEvent::MTE3_S>(7); }).ok());
  });
}

TEST(Intrinsics, MeanTheSameAsTheClassApi) {
  adversarially([] {
    int32_t* to = device_numbers(kCount, 0);
    int32_t seen = -1;
    const Status status = run_kernel(1, [&] {
      local(0, kCount).SetValue(5, 42);
      DataCopy(global(to), local(0, kCount), kCount);
      set_flag(PIPE_MTE3, PIPE_S, EVENT_ID2);
      wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID2);
      seen = to[5];
      pipe_barrier(PIPE_ALL);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(seen, 42);
    EXPECT_EQ(finding_count(), 0);
  });
}

}  // namespace
}  // namespace shmem_sim::ascendc::tests
