#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/kernel_fixture.h"

namespace shmem_sim::ascendc::tests {
namespace {

using AscendC::DataCopy;
using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;
using AscendC::SyncAll;

std::string failure_of(const std::function<void()>& body) {
  const Status status = run_kernel(1, body);
  reset_device(0);
  return status.message;
}

void expect_rule(const char* rule, const std::function<void()>& body) {
  EXPECT_EQ(failure_of(body).find(rule), 0u) << rule;
  EXPECT_NE(findings().find(rule), std::string::npos) << rule;
}

void add_up(int32_t* sum, int16_t first, int64_t second) {
  *sum += static_cast<int32_t>(first + second);
}

TEST(ALaunch, ConvertsItsArgumentsAndKeepsThem) {
  eagerly([] {
    set_current_device(0);
    int32_t* sum = device_numbers(1, 5);
    long second = 30;
    kernel_launch(add_up, "add_up", __FILE__, __LINE__, 3, 0, nullptr)(sum, 2, second);
    second = 1000;
    EXPECT_TRUE(synchronize_device(0).ok());
    EXPECT_EQ(*sum, 5 + 3 * 32);
  });
}

TEST(ALaunch, RunsEveryBlockOnce) {
  both_ways([] {
    std::set<int64_t> seen;
    EXPECT_TRUE(run_kernel(48, [&] {
                  EXPECT_EQ(GetBlockNum(), 48);
                  SyncAll();
                  EXPECT_TRUE(seen.insert(GetBlockIdx()).second);
                }).ok());
    EXPECT_EQ(seen.size(), 48u);
    EXPECT_EQ(*seen.rbegin(), 47);
  });
}

TEST(ALaunch, WithoutBlocksOrOnNoStreamIsAFinding) {
  eagerly([] {
    EXPECT_NE(run_kernel(0, [] {}).message.find("0 blocks"), std::string::npos);
    reset_device(0);
    int no_stream = 0;
    kernel_launch(add_up, "add_up", "some.cpp", 7, 1, nullptr, &no_stream)(nullptr, 1, 1);
    const Status status = synchronize_device(0);
    EXPECT_NE(status.message.find("add_up at some.cpp:7"), std::string::npos) << status.message;
    EXPECT_EQ(finding_count(), 2);
  });
}

TEST(AFinding, NamesKernelBlockCallAndLine) {
  eagerly([] {
    set_current_device(0);
    int line = 0;
    enqueue_kernel({"Broken", "k.cpp", 1}, 4, nullptr, [&] {
      if (GetBlockIdx() == 3) {
        line = __LINE__ + 1;
        AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(11);
      }
    });
    EXPECT_FALSE(synchronize_device(0).ok());
    const std::string text = findings();
    for (const std::string& part : {std::string(R"("kernel":"Broken")"),
                                    std::string(R"("block":3)"),
                                    std::string(R"("call":"SetFlag")"),
                                    std::string("runtime_test.cpp\""),
                                    "\"line\":" + std::to_string(line)}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  });
}

TEST(AUnifiedBufferCast, AddsTheBaseToSmallIntegersOnly) {
  eagerly([] {
    int32_t* const memory = device_numbers(8, 0);
    EXPECT_TRUE(run_kernel(2, [&] {
                  EXPECT_EQ(ub_cast<int32_t*>(64), local(64, 8).GetPhyAddr());
                  EXPECT_EQ(ub_cast<int32_t*>(uint64_t{0}), ub_address(0));
                  EXPECT_EQ(ub_cast<uint8_t*>(ub_cast<int32_t*>(64)), ub_cast<uint8_t*>(64));
                  EXPECT_EQ(ub_cast<int32_t*>(memory), memory);
                  EXPECT_TRUE(is_ub(ub_cast<int32_t*>(262143)));
                  EXPECT_FALSE(is_ub(memory));
                }).ok());
  });
}

TEST(TheUnifiedBuffer, IsNotTheOtherBlocks) {
  both_ways([] {
    EXPECT_TRUE(run_kernel(4, [] {
                  const auto me = static_cast<int32_t>(GetBlockIdx());
                  local(0, 8).SetValue(0, me);
                  SyncAll();
                  EXPECT_EQ(local(0, 8).GetValue(0), me);
                }).ok());
  });
}

TEST(TheUnifiedBuffer, IsPoisonedInAnAdversarialRun) {
  adversarially([] {
    for (int launch = 0; launch < 2; ++launch) {
      EXPECT_TRUE(run_kernel(1, [] {
                    EXPECT_EQ(local(kUbBytes - 4, 1).GetValue(0), static_cast<int32_t>(0xA5A5A5A5));
                    local(kUbBytes - 4, 1).SetValue(0, 1);
                  }).ok());
    }
  });
}

TEST(AnAccessByTheApi, StaysInTheUsableUnifiedBuffer) {
  eagerly([] {
    int32_t* memory = device_numbers(64, 0);
    expect_rule("unified-buffer-overflow", [] { local(kUbBytes - 4, 2).SetValue(1, 0); });
    expect_rule("unified-buffer-overflow", [] { local(0xffffffff, 2).GetValue(0); });
    expect_rule("unified-buffer-overflow",
                [&] { DataCopy(local(kUbBytes - 32, 16), global(memory), 16); });
    expect_rule("unified-buffer-overflow",
                [&] { DataCopy(global(memory), local(kUbBytes, 8), 8); });
  });
}

TEST(AnAccessByTheApi, IsAlignedInTheUnifiedBuffer) {
  eagerly([] {
    int32_t* memory = device_numbers(64, 0);
    expect_rule("unaligned-unified-buffer", [&] { DataCopy(local(16, 8), global(memory), 8); });
    expect_rule("unaligned-unified-buffer", [&] { DataCopy(global(memory), local(4, 8), 8); });
    expect_rule("unaligned-copy", [&] { DataCopy(local(0, 8), global(memory), 7); });
    EXPECT_EQ(failure_of([&] { DataCopy(local(32, 8), global(memory + 1), 8); }), "");
  });
}

TEST(AnAccessByTheApi, StaysInItsAllocation) {
  eagerly([] {
    int32_t* memory = device_numbers(128, 0);
    static int32_t on_the_host[64];
    auto* pinned = static_cast<int32_t*>(allocate_host(256));
    expect_rule("out-of-range", [&] { DataCopy(local(0, 128), global(memory + 8), 128); });
    expect_rule("not-device-memory", [&] { DataCopy(local(0, 64), global(on_the_host), 64); });
    expect_rule("not-device-memory", [&] { DataCopy(local(0, 64), global(pinned), 64); });
    expect_rule("not-device-memory", [&] { global(on_the_host).GetValue(0); });
    expect_rule("not-device-memory", [&] { global(on_the_host).SetValue(0, 1); });
    expect_rule("not-device-memory", [&] { global(nullptr).GetValue(0); });
  });
}

TEST(AnAccessByTheApi, DoesNotReachAnotherBlocksBuffer) {
  eagerly([] {
    int32_t* memory = device_numbers(64, 0);
    void* foreign = nullptr;
    const Status status = run_kernel(2, [&] {
      if (GetBlockIdx() == 0) {
        foreign = ub_address(0);
      }
      SyncAll();
      if (GetBlockIdx() == 1) {
        issue_copy(Pipe::kMte2, {foreign, memory, 1, 32, 32, 32}, "DataCopy");
      }
    });
    EXPECT_EQ(status.message.find("foreign-unified-buffer"), 0u) << status.message;
  });
}

TEST(APollingLoop, LetsTheOthersRun) {
  both_ways([] {
    int32_t* word = device_numbers(1, 0);
    EXPECT_TRUE(run_kernel(3, [&] {
                  const auto me = static_cast<int32_t>(GetBlockIdx());
                  while (global(word).GetValue(0) != me) {
                  }
                  global(word).SetValue(0, me + 1);
                }).ok());
    EXPECT_EQ(*word, 3);
  });
}

TEST(APollingLoop, MayUseTheCacheFunctions) {
  both_ways([] {
    int32_t* word = device_numbers(1, 0);
    EXPECT_TRUE(run_kernel(2, [&] {
                  if (GetBlockIdx() == 1) {
                    for (int i = 0; i < 200; ++i) {
                      dcci(word, ENTIRE_DATA_CACHE, CACHELINE_OUT);
                    }
                    global(word).SetValue(0, 7);
                    return;
                  }
                  const volatile int32_t* raw = word;
                  while (*raw != 7) {
                    AscendC::DataCacheCleanAndInvalid<int32_t,
                                                      AscendC::CacheLine::SINGLE_CACHE_LINE,
                                                      AscendC::DcciDst::CACHELINE_OUT>(
                        global(word));
                  }
                }).ok());
  });
}

// How public kernels look at flags: a small load and a barrier, again and again.
int32_t look_at(int32_t* word) {
  DataCopy(local(0, 8), global(word), 8);
  AscendC::PipeBarrier<PIPE_ALL>();
  return local(0, 8).GetValue(0);
}

TEST(APollingLoop, MayLoadTheWordIntoTheUnifiedBuffer) {
  both_ways([] {
    int32_t* words = device_numbers(64, 0);
    std::fill(words, words + 64, 0);
    EXPECT_TRUE(run_kernel(3, [&] {
                  const auto me = static_cast<int32_t>(GetBlockIdx());
                  for (int round = 1; round <= 3; ++round) {
                    while (look_at(words + ((me + 2) % 3) * 16) < (me == 0 ? round - 1 : round)) {
                    }
                    global(words).SetValue(static_cast<uint64_t>(me) * 16, round);
                  }
                }).ok());
  });
}

TEST(APollingLoop, OverBarriersOnlyLetsTheOthersRun) {
  both_ways([] {
    int32_t* word = device_numbers(1, 0);
    EXPECT_TRUE(run_kernel(2, [&] {
                  if (GetBlockIdx() == 1) {
                    global(word).SetValue(0, 1);
                    return;
                  }
                  const volatile int32_t* raw = word;
                  while (*raw != 1) {
                    AscendC::PipeBarrier<PIPE_ALL>();
                  }
                }).ok());
  });
}

TEST(APollingLoop, OverLoadsThatCannotEndIsAFinding) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "100"}}, [] {
    int32_t* word = device_numbers(8, 0);
    expect_rule("wait-deadline", [&] {
      while (look_at(word) != 1) {
      }
    });
    expect_rule("wait-deadline", [&] {
      for (;;) {
        AscendC::PipeBarrier<PIPE_ALL>();
      }
    });
  });
}

TEST(APollingLoop, ThatCannotEndIsAFinding) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "100"}}, [] {
    int32_t* word = device_numbers(1, 0);
    expect_rule("wait-deadline", [&] {
      while (global(word).GetValue(0) != 1) {
      }
    });
  });
}

TEST(ScalarAccess, IsOneLoadOrStore) {
  eagerly([] {
    auto* memory = static_cast<uint8_t*>(allocate_device(0, 64));
    EXPECT_TRUE(run_kernel(1, [&] {
                  AscendC::GlobalTensor<half> halves;
                  halves.SetGlobalBuffer(reinterpret_cast<half*>(memory), 4);
                  halves.SetValue(1, half(1.5f));
                  EXPECT_EQ(static_cast<float>(halves.GetValue(1)), 1.5f);
                  AscendC::GlobalTensor<double> doubles;
                  doubles.SetGlobalBuffer(reinterpret_cast<double*>(memory), 4);
                  doubles[1].SetValue(1, -2.25);
                  EXPECT_EQ(doubles.GetValue(2), -2.25);
                }).ok());
  });
}

TEST(Printing, WorksWithAndWithoutArguments) {
  eagerly([] {
    EXPECT_TRUE(run_kernel(1, [] {
                  AscendC::PRINTF("100%\n");
                  AscendC::PRINTF("%d %s\n", 1, "two");
                }).ok());
  });
}

TEST(OutsideAKernel, TheLanguageEndsTheProcess) {
  EXPECT_DEATH(AscendC::GetBlockIdx(), "GetBlockIdx is for kernels");
  EXPECT_DEATH(AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(0), "SetFlag is for kernels");
}

}  // namespace
}  // namespace shmem_sim::ascendc::tests
