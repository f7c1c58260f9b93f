#include "shmem_sim/language.h"  // before everything else, as bisheng does

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "shmem.h"
#include "tests/support/kernel_fixture.h"

// The device API on one PE whose blocks talk to each other; several PEs: tests/pes/device_test.cpp.
// One test per line of the ordering table.

namespace shmem_sim::shmem::tests {
namespace {

using ascendc::tests::adversarially;
using ascendc::tests::both_ways;
using ascendc::tests::eagerly;
using ascendc::tests::findings;
using ascendc::tests::global;
using ascendc::tests::kSeeds;
using ascendc::tests::local;
using ascendc::tests::run_kernel;
using shmem_sim::tests::in_child;

constexpr int kCount = 1000;

void initialise() {
  set_current_device(0);
  aclshmemx_init_attr_t attributes = {};
  attributes.my_pe = 0;
  attributes.n_pes = 1;  // of one PE: nobody listens
  std::strcpy(attributes.ip_port, "tcp://127.0.0.1:29999");
  attributes.local_mem_size = 1 << 20;
  ASSERT_EQ(aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes), 0);
}

int32_t* symmetric_numbers(int elements, int32_t start) {
  auto* memory =
      static_cast<int32_t*>(aclshmem_malloc(static_cast<size_t>(elements) * sizeof(int32_t)));
  for (int i = 0; i < elements; ++i) {
    memory[i] = start + i;
  }
  return memory;
}

std::string failure_of(const std::function<void()>& body) {
  const Status status = run_kernel(1, body);
  reset_device(0);
  return status.message;
}

void expect_rule(const char* rule, const std::function<void()>& body) {
  EXPECT_EQ(failure_of(body).find(rule), 0u) << rule;
  EXPECT_NE(findings().find(rule), std::string::npos) << rule;
}

int32_t* window() {
  return ub_cast<int32_t*>(4096);
}

// Block 0 sends kCount numbers and a signal in the given way, block 1 waits for the signal and
// looks. How many numbers it still finds old.
int64_t stale_after(const std::function<void(int32_t* to, int32_t* from, int32_t* flag)>& send) {
  initialise();
  int32_t* from = symmetric_numbers(kCount, 5000);
  int32_t* to = symmetric_numbers(kCount, 0);
  int32_t* flag = symmetric_numbers(16, -100);
  int64_t stale = -1;
  const Status status = run_kernel(2, [&] {
    if (AscendC::GetBlockIdx() == 0) {
      send(to, from, flag);
    } else {
      aclshmem_signal_wait_until(flag, ACLSHMEM_CMP_NE, -100);
      stale = 0;
      for (int i = 0; i < kCount; ++i) {
        stale += to[i] != 5000 + i ? 1 : 0;
      }
    }
  });
  EXPECT_TRUE(status.ok()) << status.message;
  return stale;
}

void put(int32_t* to, int32_t* from) {
  aclshmemx_mte_put_nbi(to, from, window(), 512, kCount, 0, EVENT_ID0);
}

void signal(int32_t* flag) {
  aclshmemx_signal_op(flag, 1, ACLSHMEM_SIGNAL_SET, 0);
}

TEST(PutThenSignal, MayBeSeenInTheOtherOrder) {
  eagerly([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                put(to, from);
                signal(flag);
              }),
              0);
  });
  adversarially([] {
    EXPECT_GT(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                put(to, from);
                signal(flag);
              }),
              0);
  });
}

TEST(PutThenSignal, IsNotOrderedByWhatOrdersMte2) {
  adversarially([] {
    EXPECT_GT(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                put(to, from);
                AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
                AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID1);
                signal(flag);
              }),
              0);
  });
}

using Complete = void (*)();

class Completion : public testing::TestWithParam<Complete> {};

TEST_P(Completion, OrdersASignalAfterThePut) {
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                put(to, from);
                GetParam()();
                signal(flag);
              }),
              0);
  });
}

INSTANTIATE_TEST_SUITE_P(Functions,
                         Completion,
                         testing::Values([] { aclshmem_quiet(); },
                                         [] { aclshmem_fence(); },
                                         [] { aclshmemx_mte_quiet(); },
                                         [] { AscendC::PipeBarrier<PIPE_ALL>(); },
                                         [] { AscendC::PipeBarrier<PIPE_MTE3>(); },
                                         [] {
                                           AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID1);
                                           AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID1);
                                         }));

TEST(ASignalThatAdds, ComesAfterThePut) {
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                put(to, from);
                aclshmemx_signal_op(flag, 1, ACLSHMEM_SIGNAL_ADD, 0);
              }),
              0);
  });
}

TEST(PutWithSignal, BringsTheDataFirst) {
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                aclshmem_putmem_signal_nbi(to, from, kCount * 4, flag, 1, ACLSHMEM_SIGNAL_SET, 0);
              }),
              0);
  });
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                aclshmem_int32_put_signal(
                    global(to), global(from), kCount, flag, 1, ACLSHMEM_SIGNAL_ADD, 0);
              }),
              0);
  });
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                aclshmem_int32_put_signal_nbi(
                    to, from, {10, 100, 100, 100}, flag, 1, ACLSHMEM_SIGNAL_SET, 0);
              }),
              0);
  });
}

TEST(ABlockingPut, IsVisibleOnReturn) {
  both_ways([] {
    EXPECT_EQ(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                aclshmem_int32_put(to, from, kCount, 0);
                signal(flag);
              }),
              0);
  });
}

TEST(ANonBlockingPut, IsNotVisibleOnReturn) {
  adversarially([] {
    EXPECT_GT(stale_after([](int32_t* to, int32_t* from, int32_t* flag) {
                aclshmem_int32_put_nbi(to, from, kCount, 0);
                signal(flag);
              }),
              0);
  });
}

TEST(ABlockingGet, HasItsDataOnReturn) {
  both_ways([] {
    initialise();
    int32_t* from = symmetric_numbers(kCount, 5000);
    int32_t* to = symmetric_numbers(kCount, 0);
    int32_t last = 0;
    EXPECT_EQ(failure_of([&] {
                aclshmem_getmem(to, from, kCount * 4, 0);
                last = to[kCount - 1];
              }),
              "");
    EXPECT_EQ(last, 5000 + kCount - 1);
  });
}

TEST(AScalarPut, IsVisibleOnReturnAndOvertakesTransfers) {
  adversarially([] {
    initialise();
    int32_t* from = symmetric_numbers(kCount, 5000);
    int32_t* to = symmetric_numbers(kCount, 0);
    int32_t seen[2] = {};
    EXPECT_EQ(failure_of([&] {
                put(to, from);
                aclshmem_int32_p(to + 1, 77, 0);
                seen[0] = to[1];
                seen[1] = aclshmem_int32_g(to + 1, 0);
              }),
              "");
    EXPECT_EQ(seen[0], 77);
    EXPECT_EQ(seen[1], 77);
    EXPECT_EQ(to[1], 5001);
  });
}

TEST(ABarrier, CompletesNoTransfer) {
  adversarially([] {
    initialise();
    int32_t* from = symmetric_numbers(kCount, 5000);
    int32_t* to = symmetric_numbers(kCount, 0);
    int64_t seen = -1;
    const Status status = run_kernel(2, [&] {
      if (AscendC::GetBlockIdx() == 0) {
        put(to, from);
      }
      aclshmemx_barrier_all_vec();
      if (AscendC::GetBlockIdx() == 1) {
        seen = to[kCount - 1];
      }
      aclshmem_barrier(ACLSHMEM_TEAM_WORLD);
      aclshmem_barrier_all();
      aclshmemx_barrier_vec(ACLSHMEM_TEAM_INVALID);
    });
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(seen, kCount - 1);
  });
}

TEST(Transfers, BetweenUnifiedBufferAndGlobalMemoryAreOneCopy) {
  both_ways([] {
    initialise();
    int32_t* from = symmetric_numbers(kCount, 5000);
    int32_t* to = symmetric_numbers(kCount, 0);
    EXPECT_EQ(failure_of([&] {
                aclshmem_int32_get_nbi(ub_cast<int32_t*>(0), from, 8, 0);
                AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
                AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
                aclshmem_int32_put_nbi(to, ub_cast<int32_t*>(0), 8, 0);
                aclshmem_int32_get_nbi(local(64, 8), global(from + 8), 8, 0);
                aclshmem_quiet();
                aclshmem_int32_put_nbi(global(to + 8), local(64, 8), 8, 0);
                aclshmemx_mte_put_nbi(global(to + 16), local(64, 8), 8, 0, EVENT_ID0);
              }),
              "");
    EXPECT_TRUE(std::equal(to, to + 16, from));
    EXPECT_EQ(to[23], 5015);
  });
}

TEST(Transfers, OfRowsKeepTheirStrides) {
  both_ways([] {
    initialise();
    int32_t* from = symmetric_numbers(64, 0);
    int32_t* to = symmetric_numbers(64, -100);
    EXPECT_EQ(failure_of([&] {
                const non_contiguous_copy_param rows = {3, 2, 5, 4};
                aclshmemx_mte_put_nbi(global(to), global(from), local(0, 24), rows, 0, EVENT_ID0);
                aclshmem_quiet();
                aclshmem_int32_get_nbi(to + 20, from, {2, 1, 3, 6}, 0);
                aclshmem_int32_iput(to + 40, from, 2, 3, 4, 0);
              }),
              "");
    const std::vector<int32_t> expected = {0, 1, -98, -97, 5, 6, -94, -93, 10, 11};
    EXPECT_EQ(std::vector<int32_t>(to, to + 10), expected);
    EXPECT_EQ(to[20], 0);
    EXPECT_EQ(to[26], 3);
    EXPECT_EQ(to[42], 3);
    EXPECT_EQ(to[46], 9);
    EXPECT_EQ(to[45], -55);
  });
}

TEST(Transfers, UseTheConfiguredWindow) {
  eagerly([] {
    initialise();
    int32_t* from = symmetric_numbers(64, 0);
    int32_t* to = symmetric_numbers(64, -100);
    EXPECT_EQ(aclshmemx_set_mte_config(8192, 128, 3), 0);
    EXPECT_EQ(failure_of([&] {
                local(0, 8).SetValue(0, 1234);
                aclshmem_int32_put(to, from, 32, 0);
                EXPECT_EQ(local(0, 8).GetValue(0), 1234);
                EXPECT_EQ(local(8192, 8).GetValue(5), 5);
              }),
              "");
    EXPECT_EQ(aclshmemx_set_mte_config(192 << 10, 128, 3), 0);
    expect_rule("unified-buffer-overflow", [&] { aclshmem_int32_put(to, from, 32, 0); });
  });
}

TEST(Transfers, OfSixteenBitTypesWork) {
  both_ways([] {
    initialise();
    auto* from = reinterpret_cast<half*>(symmetric_numbers(64, 0));
    auto* to = reinterpret_cast<half*>(symmetric_numbers(64, 0));
    EXPECT_EQ(failure_of([&] {
                aclshmem_half_p(from, half(1.5f), 0);
                EXPECT_EQ(static_cast<float>(aclshmem_half_g(from, 0)), 1.5f);
                aclshmem_half_put(to, from, 1, 0);
                EXPECT_EQ(static_cast<float>(to[0]), 1.5f);
                aclshmem_half_iget(to + 1, from, 1, 0, 3, 0);
                EXPECT_EQ(static_cast<float>(to[3]), 1.5f);
              }),
              "");
  });
}

TEST(WhatIsWrong, IsAFindingThatNamesIt) {
  eagerly([] {
    initialise();
    int32_t* symmetric = symmetric_numbers(64, 0);
    static int32_t host_word = 0;
    expect_rule("bad-pe", [&] { aclshmem_int32_p(symmetric, 1, 1); });
    expect_rule("bad-pe", [&] { aclshmemx_signal_op(symmetric, 1, ACLSHMEM_SIGNAL_SET, -1); });
    expect_rule("not-device-memory",
                [&] { aclshmemx_signal_op(&host_word, 1, ACLSHMEM_SIGNAL_SET, 0); });
    expect_rule("bad-signal-operation", [&] { aclshmemx_signal_op(symmetric, 1, 2, 0); });
    expect_rule("out-of-range", [&] {
      aclshmemx_mte_put_nbi(symmetric, symmetric, window(), 512, static_cast<uint32_t>(-1), 0, 0);
    });
    expect_rule("bad-event-id",
                [&] { aclshmemx_mte_put_nbi(symmetric, symmetric + 8, window(), 512, 8, 0, 8); });
    expect_rule("unified-buffer-overflow",
                [&] { aclshmemx_mte_put_nbi(symmetric, symmetric + 8, window(), 3, 8, 0, 0); });
    expect_rule("unified-buffer-overflow", [&] {
      aclshmemx_mte_put_nbi(symmetric, symmetric, window(), 95, {3, 2, 5, 4}, 0, 0);
    });
    expect_rule("unmodelled-call", [&] { aclshmem_barrier(3); });
    expect_rule("not-device-memory",
                [&] { aclshmem_signal_wait_until(&host_word, ACLSHMEM_CMP_EQ, 0); });
  });
}

TEST(AWaitThatDoesNotEnd, NamesTheLineOfTheKernel) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "100"}}, [] {
    initialise();
    int32_t* word = symmetric_numbers(16, 0);
    int line = 0;
    const std::string message = failure_of([&] {
      line = __LINE__ + 1;
      aclshmem_signal_wait_until(word, ACLSHMEM_CMP_EQ, 4);
    });
    EXPECT_NE(message.find("waits for EQ 4"), std::string::npos) << message;
    EXPECT_NE(findings().find("\"line\":" + std::to_string(line)), std::string::npos) << findings();
  });
}

TEST(WaitingForSeveralWords, EndsWithTheFirst) {
  both_ways([] {
    initialise();
    int32_t* words = symmetric_numbers(64, 0);
    std::fill(words, words + 64, 0);
    EXPECT_TRUE(
        run_kernel(2, [&] {
          if (AscendC::GetBlockIdx() == 0) {
            AscendC::SyncAll();
            aclshmemx_signal_op(words + 32, 9, ACLSHMEM_SIGNAL_SET, 0);
            AscendC::SyncAll();
            aclshmemx_signal_op(words + 48, 9, ACLSHMEM_SIGNAL_SET, 0);
            return;
          }
          int masked[64] = {};
          EXPECT_EQ(aclshmem_int32_test_any(words, 64, masked, ACLSHMEM_CMP_EQ, 9), SIZE_MAX);
          AscendC::SyncAll();
          EXPECT_EQ(aclshmem_int32_wait_until_any(words, 64, masked, ACLSHMEM_CMP_EQ, 9), 32u);
          masked[32] = 1;
          EXPECT_EQ(aclshmem_int32_test(words + 32, ACLSHMEM_CMP_GE, 9), 1);
          EXPECT_EQ(aclshmem_int32_test(words + 33, ACLSHMEM_CMP_GE, 9), 0);
          AscendC::SyncAll();
          size_t indices[64] = {};
          EXPECT_EQ(aclshmem_int32_wait_until_some(words, 64, indices, masked, ACLSHMEM_CMP_GT, 8),
                    1u);
          EXPECT_EQ(indices[0], 48u);
          EXPECT_EQ(aclshmem_int32_test_some(words, 64, indices, nullptr, ACLSHMEM_CMP_GT, 8), 2u);
        }).ok());
  });
}

TEST(WaitingForSeveralWords, ComparesEachWithItsOwnValue) {
  both_ways([] {
    initialise();
    int32_t* words = symmetric_numbers(8, 10);
    int32_t* values = symmetric_numbers(8, 10);
    EXPECT_EQ(
        failure_of([&] {
          EXPECT_EQ(aclshmem_int32_test_all_vector(words, 8, nullptr, ACLSHMEM_CMP_EQ, values), 1);
          aclshmem_int32_wait_until_all_vector(words, 8, nullptr, ACLSHMEM_CMP_EQ, values);
          values[3] = 0;
          EXPECT_EQ(aclshmem_int32_test_all_vector(words, 8, nullptr, ACLSHMEM_CMP_EQ, values), 0);
          EXPECT_EQ(aclshmem_int32_test_any_vector(words, 8, nullptr, ACLSHMEM_CMP_NE, values), 3u);
          EXPECT_EQ(
              aclshmem_int32_wait_until_any_vector(words, 8, nullptr, ACLSHMEM_CMP_GT, values), 3u);
        }),
        "");
  });
}

TEST(WaitingForSeveralWords, EndsAtOnceWhenNoneTakesPart) {
  eagerly([] {
    initialise();
    int32_t* words = symmetric_numbers(2, 0);
    EXPECT_EQ(
        failure_of([&] {
          const int all_masked[2] = {1, 1};
          EXPECT_EQ(aclshmem_int32_wait_until_any(words, 0, nullptr, ACLSHMEM_CMP_EQ, 9), SIZE_MAX);
          EXPECT_EQ(aclshmem_int32_wait_until_any(words, 2, all_masked, ACLSHMEM_CMP_EQ, 9),
                    SIZE_MAX);
          EXPECT_EQ(aclshmem_int32_wait_until_any(words, 2, nullptr, 17, 9), 0u);
          size_t indices[2];
          EXPECT_EQ(
              aclshmem_int32_wait_until_some(words, 2, indices, all_masked, ACLSHMEM_CMP_EQ, 9),
              0u);
        }),
        "");
  });
}

TEST(ALoopOverTest, LetsTheOthersRun) {
  both_ways([] {
    initialise();
    auto* word = reinterpret_cast<int64_t*>(symmetric_numbers(16, 0));
    *word = 0;
    EXPECT_TRUE(run_kernel(2, [&] {
                  if (AscendC::GetBlockIdx() == 0) {
                    while (aclshmem_int64_test(word, ACLSHMEM_CMP_EQ, int64_t{1} << 40) == 0) {
                    }
                  } else {
                    while (aclshmem_int64_g(word, 0) != 0) {
                    }
                    aclshmem_int64_p(word, int64_t{1} << 40, 0);
                  }
                }).ok());
  });
}

TEST(AtomicAdds, AddUp) {
  both_ways([] {
    initialise();
    auto* words = reinterpret_cast<int64_t*>(symmetric_numbers(16, 0));
    std::fill(words, words + 8, 0);
    EXPECT_TRUE(run_kernel(8, [&] {
                  for (int i = 0; i < 10; ++i) {
                    aclshmem_int64_atomic_add(words, -3, 0);
                    aclshmem_uint32_atomic_inc(reinterpret_cast<uint32_t*>(words + 1), 0);
                  }
                }).ok());
    EXPECT_EQ(words[0], -240);
    EXPECT_EQ(words[1], 80);
  });
}

}  // namespace
}  // namespace shmem_sim::shmem::tests
