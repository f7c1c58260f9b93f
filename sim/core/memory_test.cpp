#include "sim/core/memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>

#include "tests/support/in_child.h"

namespace shmem_sim {
namespace {

using tests::in_child;

TEST(Memory, ARegionIsFoundByAnyAddressInIt) {
  void* base = allocate_device(2, 1000);
  ASSERT_NE(base, nullptr);
  const auto region = find_region(static_cast<char*>(base) + 999);
  ASSERT_TRUE(region.has_value());
  EXPECT_EQ(region->base, base);
  EXPECT_EQ(region->device, 2);
  EXPECT_EQ(region->kind, MemoryKind::kDevice);
  EXPECT_TRUE(free_device(base));
  EXPECT_FALSE(find_region(base).has_value());
}

TEST(Memory, WhatIsNoAllocationIsNotFreed) {
  int local = 0;
  EXPECT_FALSE(free_device(&local));
  void* base = allocate_device(0, 4096);
  EXPECT_FALSE(free_device(static_cast<char*>(base) + 512));
  EXPECT_FALSE(free_host(base));
  EXPECT_TRUE(free_device(base));
  EXPECT_FALSE(free_device(base));
}

TEST(Memory, ADeviceHasAnEnd) {
  const size_t before = device_bytes_in_use(1);
  EXPECT_EQ(allocate_device(1, device_bytes_total() + 1), nullptr);
  EXPECT_EQ(allocate_device(1, 0), nullptr);
  EXPECT_EQ(device_bytes_in_use(1), before);
  void* base = allocate_device(1, 2 << 20);
  EXPECT_EQ(device_bytes_in_use(1), before + (2 << 20));
  free_device(base);
  EXPECT_EQ(device_bytes_in_use(1), before);
}

TEST(Memory, AddressesAreAligned) {
  for (const size_t bytes : {size_t{1}, size_t{513}, size_t{3} << 20}) {
    void* base = allocate_device(0, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % 512, 0u);
    free_device(base);
  }
}

TEST(Memory, ForeignMemoryIsKnownOnlyWhileItIsRegistered) {
  static char foreign[64];
  add_region({foreign, sizeof foreign, MemoryKind::kHost, 0});
  EXPECT_EQ(find_region(foreign + 63)->kind, MemoryKind::kHost);
  EXPECT_FALSE(free_host(foreign));
  EXPECT_TRUE(remove_region(foreign));
  EXPECT_FALSE(remove_region(foreign));
  EXPECT_FALSE(find_region(foreign).has_value());
}

TEST(Memory, ALookUpDoesNotOutliveTheRegion) {
  static char foreign[128];
  add_region({foreign, 128, MemoryKind::kHost, 0});
  EXPECT_EQ(find_region(foreign + 100)->bytes, 128u);
  EXPECT_TRUE(remove_region(foreign));
  add_region({foreign, 64, MemoryKind::kDevice, 5});
  EXPECT_FALSE(find_region(foreign + 100).has_value());
  EXPECT_EQ(find_region(foreign + 10)->device, 5);
  EXPECT_TRUE(remove_region(foreign));
  EXPECT_FALSE(find_region(foreign + 10).has_value());
}

TEST(Memory, FreshMemoryIsPoisonedInAnAdversarialRun) {
  in_child({{"SHMEM_SIM_SEED", "1"}}, [] {
    for (const size_t bytes : {size_t{512}, size_t{5} << 20}) {
      auto* base = static_cast<unsigned char*>(allocate_device(0, bytes));
      EXPECT_EQ(base[0], 0xA5);
      EXPECT_EQ(base[bytes / 2], 0xA5);
      EXPECT_EQ(base[bytes - 1], 0xA5);
      base[bytes / 2] = 1;
      auto* other = static_cast<unsigned char*>(allocate_device(0, bytes));
      EXPECT_EQ(other[bytes / 2], 0xA5);  // not shared with the first
      EXPECT_EQ(base[bytes / 2], 1);
      EXPECT_TRUE(free_device(base));
      EXPECT_TRUE(free_device(other));
    }
  });
}

TEST(Memory, TheFirstByteBehindALargeBlockFaults) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    tests::run_as_child({}, [] {
      signal(SIGSEGV, SIG_DFL);  // not a sanitizer's
      constexpr size_t kBytes = size_t{2} << 20;
      auto* base = static_cast<volatile char*>(allocate_device(0, kBytes));
      base[kBytes - 1] = 1;
      base[kBytes] = 1;
    });
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST(Memory, AForkedChildIsNotStuckInItsParentsLock) {
  in_child({}, [] {
    std::atomic<bool> end{false};
    std::thread busy([&end] {
      while (!end) {
        free_device(allocate_device(0, 64));
      }
    });
    void* base = allocate_device(3, 64);
    for (int i = 0; i < 20; ++i) {
      in_child({}, [base] { EXPECT_EQ(find_region(base)->device, 3); });
    }
    end = true;
    busy.join();
  });
}

}  // namespace
}  // namespace shmem_sim
