#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "shmem.h"
#include "sim/core/finding.h"
#include "tests/support/pe_group.h"

// The host side of SHMEM through its C API, as a program of the vendor's toolkit would call it.

namespace shmem_sim::test {
namespace {

constexpr uint64_t kHeapBytes = uint64_t{8} << 20;

class Shmem : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pes, Shmem, testing::Values(1, 2, 3, 4, 8, 12));  // 12: PEs share devices

int init(int pe, int count, uint16_t port, uint64_t heap_bytes = kHeapBytes) {
  aclInit(nullptr);
  aclrtSetDevice(pe % 8);
  aclshmemx_init_attr_t attributes{};
  attributes.my_pe = pe;
  attributes.n_pes = count;
  attributes.local_mem_size = heap_bytes;
  const std::string endpoint = fmt::format("tcp://127.0.0.1:{}", port);
  std::memcpy(attributes.ip_port, endpoint.c_str(), endpoint.size() + 1);
  return aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
}

std::vector<int> all_zero(int count) {
  return std::vector<int>(static_cast<size_t>(count), 0);
}

TEST_P(Shmem, PutsGetsAndBarriersMoveData) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0 || aclshmem_my_pe() != pe || aclshmem_n_pes() != count) {
      return 1;
    }
    auto* word = static_cast<int32_t*>(aclshmem_calloc(16, sizeof(int32_t)));
    auto* other = static_cast<int32_t*>(aclshmem_calloc(16, sizeof(int32_t)));
    const int next = (pe + 1) % count;
    word[0] = 1000 + pe;
    aclshmem_int32_put(other, word, 4, next);
    aclshmem_int32_p(other + 8, 7 + pe, next);
    aclshmem_barrier_all();
    const int before = (pe + count - 1) % count;
    if (other[0] != 1000 + before || other[8] != 7 + before ||
        aclshmem_int32_g(word, next) != 1000 + next) {
      return 2;
    }
    int local = 0;
    if (aclshmem_ptr(word, next) == nullptr || aclshmem_ptr(word, count) != nullptr ||
        aclshmem_ptr(&local, 0) != nullptr) {
      return 3;
    }
    aclshmem_free(other);
    aclshmem_free(word);
    return aclshmem_finalize() == 0 && aclshmem_my_pe() == -1 ? 0 : 4;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, AllocationsLieAtTheSameOffsetEverywhere) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0) {
      return 1;
    }
    auto* whole =
        static_cast<char*>(aclshmem_malloc(kHeapBytes));  // the extra space is the library's
    aclshmem_free(whole);
    auto* aligned = static_cast<char*>(aclshmem_align(4096, 100));
    const bool good = whole != nullptr && reinterpret_cast<uintptr_t>(aligned) % 4096 == 0 &&
                      aclshmem_malloc(kHeapBytes * 4) == nullptr && aclshmem_malloc(0) == nullptr &&
                      aclshmem_calloc(~size_t{0}, 2) == nullptr && aclshmem_align(3, 8) == nullptr;
    aclshmem_free(nullptr);
    aclshmem_free(aligned);
    return good && aclshmem_finalize() == 0 ? 0 : 2;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, AUniqueIdBringsThePesTogether) {
  const int count = GetParam();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto codes = run_pes(count, [=](int pe) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclshmemx_uniqueid_t id{};
    if (pe == 0) {
      if (aclshmemx_get_uniqueid(&id) != 0) {
        return 1;
      }
      for (int i = 1; i < count; ++i) {
        if (write(ends[1], &id, sizeof id) != sizeof id) {
          return 2;
        }
      }
    } else if (read(ends[0], &id, sizeof id) != sizeof id) {
      return 3;
    }
    aclshmemx_init_attr_t attributes{};
    if (aclshmemx_set_attr_uniqueid_args(pe, count, kHeapBytes, &id, &attributes) != 0 ||
        aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0) {
      return 4;
    }
    aclshmem_barrier_all();
    return aclshmem_finalize() == 0 ? 0 : 5;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, StridedPutsAndGetsTouchTheirElementsOnly) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0) {
      return 1;
    }
    constexpr int kElements = 5;
    auto* from = static_cast<int32_t*>(aclshmem_calloc(32, sizeof(int32_t)));
    auto* put = static_cast<int32_t*>(aclshmem_calloc(32, sizeof(int32_t)));
    auto* got = static_cast<int32_t*>(aclshmem_calloc(32, sizeof(int32_t)));
    for (int i = 0; i < 32; ++i) {
      from[i] = 100 * (pe + 1) + i;
    }
    aclshmem_barrier_all();
    const int next = (pe + 1) % count;
    const int before = (pe + count - 1) % count;
    aclshmem_int32_iput(put, from, 3, 2, kElements, next);
    aclshmem_int32_iget(got, from, 2, 3, kElements, next);
    aclshmem_barrier_all();
    for (int i = 0; i < 32; ++i) {
      const int of_put = i % 3 == 0 && i < 3 * kElements ? 100 * (before + 1) + i / 3 * 2 : 0;
      const int of_get = i % 2 == 0 && i < 2 * kElements ? 100 * (next + 1) + i / 2 * 3 : 0;
      if (put[i] != of_put || got[i] != of_get) {
        return 2;
      }
    }
    return aclshmem_finalize() == 0 ? 0 : 3;
  });
  EXPECT_EQ(codes, all_zero(count));
}

// The host waits for the signal and for nothing else: the data of that round is there.
TEST_P(Shmem, ASignalComesBehindItsData) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0) {
      return 1;
    }
    constexpr int kElements = 4096;
    constexpr int kRounds = 20;
    auto* from = static_cast<int32_t*>(aclshmem_calloc(kElements, sizeof(int32_t)));
    auto* to = static_cast<int32_t*>(aclshmem_calloc(kElements * kRounds, sizeof(int32_t)));
    auto* flag = static_cast<int32_t*>(aclshmem_calloc(16, sizeof(int32_t)));
    for (int round = 1; round <= kRounds; ++round) {
      std::fill(from, from + kElements, round);
      aclshmemx_putmem_signal(to + (round - 1) * kElements,
                              from,
                              kElements * sizeof(int32_t),
                              flag,
                              1,
                              ACLSHMEM_SIGNAL_ADD,
                              (pe + 1) % count);
      aclshmem_signal_wait_until(flag, ACLSHMEM_CMP_GE, round);
      const int32_t* arrived = to + (round - 1) * kElements;
      if (arrived[0] != round || arrived[kElements - 1] != round) {
        return 2;
      }
      if (aclrtSynchronizeDevice() != 0) {  // `from` is written again
        return 3;
      }
    }
    aclshmem_barrier_all();
    return flag[0] == kRounds && aclshmem_finalize() == 0 ? 0 : 4;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, CanBeInitialisedAgainOnTheSamePort) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    for (int round = 0; round < 3; ++round) {
      if (init(pe, count, port) != 0) {
        return 10 + round;
      }
      auto* word = static_cast<int32_t*>(aclshmem_calloc(1, sizeof(int32_t)));  // is not freed
      if (word == nullptr) {
        return 20 + round;
      }
      aclshmem_int32_p(word, round + 1, (pe + 1) % count);
      aclshmem_barrier_all();
      if (*word != round + 1) {
        return 30 + round;
      }
      if (aclshmem_finalize() != 0 || aclshmem_malloc(16) != nullptr || aclshmem_n_pes() != -1) {
        return 40 + round;
      }
    }
    return 0;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, AHeapThatIsUsedUpComesBack) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0) {
      return 1;
    }
    constexpr size_t kBlock = size_t{1} << 20;
    std::vector<char*> blocks;
    while (void* block = aclshmem_malloc(kBlock)) {
      blocks.push_back(static_cast<char*>(block));
      blocks.back()[kBlock - 1] = 'x';
    }
    if (blocks.size() < kHeapBytes / kBlock || aclshmem_calloc(1, kBlock) != nullptr ||
        aclshmem_align(512, kBlock) != nullptr) {
      return 2;
    }
    const size_t middle = blocks.size() / 2;
    aclshmem_free(blocks[middle]);
    if (aclshmem_malloc(kBlock) != blocks[middle] || blocks[middle - 1][kBlock - 1] != 'x') {
      return 3;
    }
    for (char* block : blocks) {
      aclshmem_free(block);
    }
    return aclshmem_malloc(kHeapBytes) == blocks[0] && aclshmem_finalize() == 0 ? 0 : 4;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, FreeingWhatIsNoBlockLeavesTheHeapAlone) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (init(pe, count, port) != 0) {
      return 1;
    }
    auto* first = static_cast<char*>(aclshmem_calloc(1, 4096));
    auto* second = static_cast<char*>(aclshmem_calloc(1, 4096));
    std::memset(first, 'f', 4096);
    void* device = nullptr;
    aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    std::vector<char> host(64);
    aclshmem_free(host.data());
    aclshmem_free(device);
    aclshmem_free(first + 16);
    if (count > 1) {
      aclshmem_free(aclshmem_ptr(first, (pe + 1) % count));
    }
    aclshmem_free(second);
    aclshmem_free(second);
    if (aclshmem_malloc(4096) != second || first[0] != 'f' || first[4095] != 'f' ||
        aclshmem_ptr(first, pe) != first || aclrtFree(device) != 0) {
      return 2;
    }
    return aclshmem_finalize() == 0 ? 0 : 3;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Shmem, TeamsBeyondTheWorldAreRefused) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (aclshmem_team_my_pe(ACLSHMEM_TEAM_WORLD) != -1 ||
        aclshmem_team_n_pes(ACLSHMEM_TEAM_WORLD) != -1) {
      return 1;
    }
    if (init(pe, count, port) != 0 || aclshmem_team_my_pe(ACLSHMEM_TEAM_WORLD) != pe ||
        aclshmem_team_n_pes(ACLSHMEM_TEAM_WORLD) != count) {
      return 2;
    }
    aclshmem_team_t x = 5;
    aclshmem_team_t y = 5;
    if (aclshmem_team_split_strided(ACLSHMEM_TEAM_WORLD, 0, 1, count, &x) !=
            ACLSHMEM_NOT_SUPPORTED ||
        x != ACLSHMEM_TEAM_INVALID) {
      return 3;
    }
    x = 5;
    if (aclshmem_team_split_2d(ACLSHMEM_TEAM_WORLD, 1, &x, &y) != ACLSHMEM_NOT_SUPPORTED ||
        x != ACLSHMEM_TEAM_INVALID || y != ACLSHMEM_TEAM_INVALID ||
        aclshmem_team_split_strided(0, 0, 1, 1, nullptr) != ACLSHMEM_NOT_SUPPORTED) {
      return 4;
    }
    if (aclshmem_team_my_pe(3) != -1 || aclshmem_team_n_pes(-1) != -1 ||
        aclshmem_team_translate_pe(0, pe, 0) != pe || aclshmem_team_translate_pe(0, pe, 3) != -1 ||
        aclshmem_team_translate_pe(0, count, 0) != -1) {
      return 5;
    }
    const int64_t before = finding_count();
    aclshmem_barrier(ACLSHMEM_TEAM_INVALID);
    aclshmemx_barrier_on_stream(ACLSHMEM_TEAM_INVALID, nullptr);
    aclshmemx_barrier_on_stream(ACLSHMEM_TEAM_WORLD, nullptr);
    if (aclrtSynchronizeDevice() != 0 || finding_count() != before) {
      return 6;
    }
    aclshmem_barrier(3);
    if (finding_count() != before + 1) {
      return 7;
    }
    aclshmem_barrier_all();
    aclshmemx_barrier_on_stream(3, nullptr);
    return aclrtSynchronizeDevice() != 0 && finding_count() > before + 1 ? 0 : 8;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST(ShmemErrors, DeadStreamsAndUnknownSignalsAreFindings) {
  const uint16_t port = free_port();
  const auto codes = run_pes(1, [=](int pe) {
    aclrtStream dead = nullptr;
    if (init(pe, 1, port) != 0 || aclrtCreateStream(&dead) != 0 || aclrtDestroyStream(dead) != 0) {
      return 1;
    }
    auto* words = static_cast<int32_t*>(aclshmem_calloc(16, sizeof(int32_t)));
    const int64_t before = finding_count();
    aclshmemx_putmem_on_stream(words, words + 4, 4, 0, dead);
    aclshmemx_getmem_on_stream(words, words + 4, 4, 0, dead);
    aclshmemx_signal_op_on_stream(words, 1, ACLSHMEM_SIGNAL_SET, 0, dead);
    aclshmemx_signal_wait_until_on_stream(words, ACLSHMEM_CMP_EQ, 0, dead);
    aclshmemx_quiet_on_stream(dead);
    aclshmemx_barrier_all_on_stream(dead);
    if (finding_count() != before + 6 || aclrtSynchronizeDevice() != 0 || words[0] != 0) {
      return 2;
    }
    aclshmemx_signal_op_on_stream(words, 1, 2, 0, nullptr);
    return aclrtSynchronizeDevice() != 0 && words[0] == 0 ? 0 : 3;
  });
  EXPECT_EQ(codes, all_zero(1));
}

TEST(ShmemErrors, AUniqueIdNeedsItsPlaces) {
  const auto codes = run_pes(1, [](int) {
    aclshmemx_uniqueid_t id{};
    const bool refused =
        aclshmemx_get_uniqueid(nullptr) == ACLSHMEM_INVALID_PARAM &&
        aclshmemx_set_attr_uniqueid_args(0, 1, 1024, &id, nullptr) == ACLSHMEM_INVALID_PARAM;
    return refused ? 0 : 1;
  });
  EXPECT_EQ(codes, all_zero(1));
}

TEST(ShmemErrors, BadAttributesAreRefusedWithTheirCodes) {
  const auto codes = run_pes(1, [](int) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclshmemx_init_attr_t good{};
    good.my_pe = 0;
    good.n_pes = 1;
    good.local_mem_size = 1 << 20;
    std::strcpy(good.ip_port, "tcp://127.0.0.1:29999");
    const auto with = [&](auto change) {
      aclshmemx_init_attr_t attributes = good;
      change(attributes);
      return aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
    };
    if (aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, nullptr) != -1)
      return 1;
    if (with([](auto& a) { a.my_pe = -1; }) != -2)
      return 2;
    if (with([](auto& a) { a.n_pes = 0; }) != -2)
      return 3;
    if (with([](auto& a) { a.my_pe = 1; }) != -1)
      return 4;
    if (with([](auto& a) { a.local_mem_size = 0; }) != -2)
      return 5;
    if (with([](auto& a) { a.option_attr.shm_init_timeout = 0; }) != -2)
      return 6;
    if (with([](auto& a) { std::strcpy(a.ip_port, "tcp://127.0.0.1:70000"); }) != -1)
      return 7;
    if (with([](auto& a) { std::strcpy(a.ip_port, "127.0.0.1:29999"); }) != -1)
      return 12;  // no scheme
    if (with([](auto& a) { a.ip_port[0] = '\0'; }) != -1)
      return 13;
    if (aclshmem_malloc(16) != nullptr || aclshmem_finalize() != 0)
      return 8;
    if (with([](auto&) {}) != 0)
      return 9;
    if (with([](auto&) {}) != -4)
      return 10;  // twice; the first stays valid
    return aclshmem_n_pes() == 1 && aclshmem_finalize() == 0 ? 0 : 11;
  });
  EXPECT_EQ(codes[0], 0);
}

TEST(ShmemErrors, DifferentSizesAreAFinding) {
  const uint16_t port = free_port();
  char path[] = "/tmp/shmem-findings-XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  setenv("SHMEM_SIM_FINDINGS", path, 1);
  const auto codes = run_pes(2, [=](int pe) {
    if (init(pe, 2, port) != 0) {
      return 1;
    }
    aclshmem_malloc(pe == 0 ? 64 : 128);
    return aclshmem_finalize() == 0 ? 0 : 2;
  });
  unsetenv("SHMEM_SIM_FINDINGS");
  EXPECT_EQ(codes, all_zero(2));
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(file, text.data(), text.size(), 0))));
  close(file);
  unlink(path);
  EXPECT_NE(text.find("asymmetric-allocation"), std::string::npos);
}

TEST(ShmemErrors, BlocksLeftAtFinalizeAreAFinding) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    if (init(pe, 2, port) != 0) {
      return 1;
    }
    void* freed = aclshmem_malloc(64);
    void* left = aclshmem_malloc(100);
    aclshmem_free(freed);
    const int64_t before = finding_count();
    if (left == nullptr || aclshmem_finalize() != 0 || finding_count() != before + 1) {
      return 2;
    }
    aclshmem_free(left);  // refused: there is no heap any more
    return finding_count() == before + 1 ? 0 : 3;
  });
  EXPECT_EQ(codes, all_zero(2));
}

TEST(ShmemErrors, AnotherPesAddressCannotBePutTo) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    if (init(pe, 2, port) != 0) {
      return 1;
    }
    int32_t local = 1;
    aclshmem_int32_put(&local, &local, 1, 1 - pe);  // not symmetric
    aclrtStream any = nullptr;
    aclrtCreateStream(&any);
    const aclError error = aclrtSynchronizeDevice();
    aclrtDestroyStream(any);
    return error != 0 ? 0 : 2;
  });
  EXPECT_EQ(codes, all_zero(2));
}

}  // namespace
}  // namespace shmem_sim::test
