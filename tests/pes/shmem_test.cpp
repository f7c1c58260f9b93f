#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "shmem.h"
#include "tests/support/pe_group.h"

// The host side of SHMEM through its C API, as a program of the vendor's toolkit would call it.

namespace shmem_sim::test {
namespace {

constexpr uint64_t kHeapBytes = uint64_t{8} << 20;

class Shmem : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pes, Shmem, testing::Values(1, 2, 3, 4, 8));

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
