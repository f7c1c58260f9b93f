#include "sim/core/memory.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace shmem_sim {
namespace {

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

}  // namespace
}  // namespace shmem_sim
