#include "shmem_sim/language.h"  // before everything else, as bisheng does

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "shmem.h"
#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "tests/support/pe_group.h"

// Kernels of several PEs over the device API, eagerly and under a few seeds.

namespace shmem_sim::test {
namespace {

struct Way {
  int pe_count;
  const char* seed;  // empty: eager
};

class Device : public testing::TestWithParam<Way> {
 protected:
  // `body` runs on every PE between init and finalize and must leave no finding.
  void on_every_pe(const std::function<void(int pe, int pe_count)>& body) {
    const Way way = GetParam();
    const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(free_port());
    setenv("SHMEM_SIM_SEED", way.seed, 1);
    setenv("SHMEM_SIM_HOLD_US", "300", 1);
    const std::vector<int> codes = run_pes(way.pe_count, [&](int pe) {
      set_current_device(0);
      aclshmemx_init_attr_t attributes = {};
      attributes.my_pe = pe;
      attributes.n_pes = way.pe_count;
      attributes.local_mem_size = 1 << 20;
      endpoint.copy(attributes.ip_port, sizeof attributes.ip_port - 1);
      if (aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes) != 0) {
        return 2;
      }
      body(pe, way.pe_count);
      EXPECT_EQ(finding_count(), 0);
      aclshmem_finalize();
      return HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(codes, std::vector<int>(static_cast<size_t>(way.pe_count), 0));
  }
};

std::string name_of(const testing::TestParamInfo<Way>& info) {
  return std::to_string(info.param.pe_count) + "Pes" +
         (*info.param.seed == '\0' ? "Eager" : std::string("Seed") + info.param.seed);
}

INSTANTIATE_TEST_SUITE_P(
    Ways,
    Device,
    testing::Values(
        Way{2, ""}, Way{2, "1"}, Way{2, "2"}, Way{3, ""}, Way{3, "3"}, Way{8, ""}, Way{8, "4"}),
    name_of);

int32_t* symmetric_words(size_t count) {
  return static_cast<int32_t*>(aclshmem_calloc(count, sizeof(int32_t)));
}

void run(int64_t blocks, const std::function<void()>& body) {
  enqueue_kernel({"kernel", "device_test.cpp", 1}, blocks, nullptr, body);
  const Status status = synchronize_device(0, std::chrono::seconds(20));
  EXPECT_TRUE(status.ok()) << status.message;
}

constexpr int kCount = 3000;
constexpr int kFlagStride = 16;

int32_t* window() {
  return ub_cast<int32_t*>(0);
}

TEST_P(Device, PutsArriveBeforeTheSignalAfterQuiet) {
  on_every_pe([](int pe, int pe_count) {
    int32_t* slots = symmetric_words(static_cast<size_t>(pe_count * kCount));
    int32_t* flags = symmetric_words(static_cast<size_t>(pe_count * kFlagStride));
    int32_t* mine = symmetric_words(kCount);
    std::iota(mine, mine + kCount, pe * kCount);
    run(4, [&] {
      for (int peer = 0; peer < pe_count; ++peer) {
        if (peer % 4 == AscendC::GetBlockIdx()) {
          aclshmemx_mte_put_nbi(slots + pe * kCount, mine, window(), 4096, kCount, peer, EVENT_ID0);
          aclshmem_quiet();
          aclshmemx_signal_op(flags + pe * kFlagStride, 1, ACLSHMEM_SIGNAL_SET, peer);
          aclshmem_signal_wait_until(flags + peer * kFlagStride, ACLSHMEM_CMP_EQ, 1);
          for (int i = 0; i < kCount; ++i) {
            EXPECT_EQ(slots[peer * kCount + i], peer * kCount + i);
          }
        }
      }
    });
  });
}

TEST_P(Device, GetsReadThePeersMemory) {
  on_every_pe([](int pe, int pe_count) {
    int32_t* mine = symmetric_words(kCount);
    std::iota(mine, mine + kCount, pe * kCount);
    int32_t* copy = symmetric_words(kCount);
    run(2, [&] {
      aclshmemx_barrier_all_vec();
      const int peer = (pe + 1) % pe_count;
      if (AscendC::GetBlockIdx() == 0) {
        aclshmemx_mte_get_nbi(copy, mine, window(), 4096, kCount, peer, EVENT_ID0);
        aclshmem_quiet();
        EXPECT_EQ(copy[kCount - 1], peer * kCount + kCount - 1);
        EXPECT_EQ(aclshmem_int32_g(mine + 1, peer), peer * kCount + 1);
        auto* far = static_cast<int32_t*>(aclshmem_ptr(mine, peer));
        EXPECT_EQ(far[2], peer * kCount + 2);
      }
    });
  });
}

TEST_P(Device, DataIsThereWithItsSignal) {
  on_every_pe([](int pe, int pe_count) {
    constexpr int kRounds = 5;
    int32_t* slots = symmetric_words(static_cast<size_t>(kRounds * kCount));
    int32_t* flag = symmetric_words(kFlagStride);
    int32_t* mine = symmetric_words(kCount);
    run(1, [&] {
      for (int round = 1; round <= kRounds; ++round) {
        std::iota(mine, mine + kCount, 1000 * round);
        int32_t* slot = slots + (round - 1) * kCount;
        aclshmem_int32_put_signal(
            slot, mine, kCount, flag, round, ACLSHMEM_SIGNAL_SET, (pe + 1) % pe_count);
        aclshmem_signal_wait_until(flag, ACLSHMEM_CMP_GE, round);
        for (int i = 0; i < kCount; ++i) {
          EXPECT_EQ(slot[i], 1000 * round + i);
        }
      }
    });
  });
}

TEST_P(Device, StridedTransfersTouchTheirElementsOnly) {
  on_every_pe([](int pe, int pe_count) {
    int32_t* mine = symmetric_words(32);
    int32_t* put = symmetric_words(32);
    int32_t* got = symmetric_words(32);
    std::iota(mine, mine + 32, 100 * (pe + 1));
    run(1, [&] {
      constexpr int kElements = 4;
      const int next = (pe + 1) % pe_count;
      const int before = (pe + pe_count - 1) % pe_count;
      aclshmemx_barrier_all_vec();
      aclshmem_int32_iput(put, mine, 3, 2, kElements, next);
      aclshmem_int32_iget(got, mine, 2, 3, kElements, next);
      aclshmemx_barrier_all_vec();
      for (int i = 0; i < 32; ++i) {
        const bool in_put = i % 3 == 0 && i < 3 * kElements;
        const bool in_get = i % 2 == 0 && i < 2 * kElements;
        EXPECT_EQ(put[i], in_put ? 100 * (before + 1) + i / 3 * 2 : 0);
        EXPECT_EQ(got[i], in_get ? 100 * (next + 1) + i / 2 * 3 : 0);
      }
    });
  });
}

TEST_P(Device, BarriersKeepAllBlocksOfAllPesTogether) {
  on_every_pe([](int pe, int pe_count) {
    constexpr int kRounds = 20;
    constexpr int kBlocks = 3;
    int32_t* rounds = symmetric_words(kBlocks * kFlagStride);
    run(kBlocks, [&] {
      const auto block = static_cast<int>(AscendC::GetBlockIdx());
      for (int round = 1; round <= kRounds; ++round) {
        aclshmem_int32_p(rounds + block * kFlagStride, round, pe);
        aclshmem_barrier_all();
        for (int peer = 0; peer < pe_count; ++peer) {
          EXPECT_EQ(aclshmem_int32_g(rounds + (kBlocks - 1 - block) * kFlagStride, peer), round);
        }
        aclshmemx_barrier_all_vec();
      }
    });
  });
}

TEST_P(Device, SignalsThatAddCountEverySender) {
  on_every_pe([](int, int pe_count) {
    constexpr int kBlocks = 4;
    int32_t* counter = symmetric_words(kFlagStride);
    run(kBlocks, [&] {
      for (int peer = 0; peer < pe_count; ++peer) {
        aclshmemx_signal_op(counter, 1, ACLSHMEM_SIGNAL_ADD, peer);
      }
      aclshmem_int32_wait_until(counter, ACLSHMEM_CMP_EQ, kBlocks * pe_count);
    });
  });
}

TEST_P(Device, WaitsForAnyOfItsPeers) {
  on_every_pe([](int pe, int pe_count) {
    auto* words =
        static_cast<int64_t*>(aclshmem_calloc(static_cast<size_t>(pe_count * 8), sizeof(int64_t)));
    run(1, [&] {
      for (int peer = 0; peer < pe_count; ++peer) {
        aclshmem_int64_p(words + pe * 8, 5, peer);
      }
      std::vector<int> taken(static_cast<size_t>(pe_count * 8), 0);
      for (int i = 0; i < pe_count; ++i) {
        const size_t at =
            aclshmem_int64_wait_until_any(words, taken.size(), taken.data(), ACLSHMEM_CMP_EQ, 5);
        EXPECT_EQ(at % 8, 0u);
        taken.at(at) = 1;
      }
      EXPECT_EQ(aclshmem_int64_test_any(words, taken.size(), taken.data(), ACLSHMEM_CMP_EQ, 5),
                SIZE_MAX);
    });
  });
}

TEST_P(Device, LoopsOverTestSeeThePeersStores) {
  on_every_pe([](int pe, int pe_count) {
    int32_t* ring = symmetric_words(kFlagStride);
    run(2, [&] {
      if (AscendC::GetBlockIdx() == 0) {
        for (int lap = 1; lap <= 5; ++lap) {
          if (pe == 0) {
            aclshmem_int32_p(ring, lap, 1);
          }
          while (aclshmem_int32_test(ring, ACLSHMEM_CMP_EQ, lap) == 0) {
          }
          if (pe != 0) {
            aclshmem_int32_p(ring, lap, (pe + 1) % pe_count);
          }
        }
      }
    });
  });
}

}  // namespace
}  // namespace shmem_sim::test
