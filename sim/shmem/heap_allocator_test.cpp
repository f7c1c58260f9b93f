#include "sim/shmem/heap_allocator.h"

#include <gtest/gtest.h>

namespace shmem_sim::shmem {
namespace {

TEST(HeapAllocator, GivesTheSmallestHoleThatFits) {
  HeapAllocator heap(1024);
  const auto a = heap.allocate(256, 16);
  const auto b = heap.allocate(16, 16);
  const auto c = heap.allocate(64, 16);
  const auto d = heap.allocate(16, 16);
  ASSERT_TRUE(a && b && c && d);
  EXPECT_TRUE(heap.release(*a));
  EXPECT_TRUE(heap.release(*c));
  EXPECT_EQ(heap.allocate(60, 16), c);  // not the larger hole at a
}

TEST(HeapAllocator, NeighboursCoalesce) {
  HeapAllocator heap(304);
  const auto a = heap.allocate(96, 16);
  const auto b = heap.allocate(96, 16);
  const auto c = heap.allocate(96, 16);
  ASSERT_TRUE(a && b && c);
  EXPECT_FALSE(heap.allocate(32, 16).has_value());
  EXPECT_TRUE(heap.release(*a));
  EXPECT_TRUE(heap.release(*c));
  EXPECT_TRUE(heap.release(*b));
  EXPECT_EQ(heap.allocate(300, 16), 0u);
  EXPECT_EQ(heap.bytes_in_use(), 304u);
}

TEST(HeapAllocator, TheWholeHeapCanBeTaken) {
  HeapAllocator heap(4096);
  EXPECT_EQ(heap.allocate(4096, 16), 0u);
  EXPECT_FALSE(heap.allocate(1, 16).has_value());
}

TEST(HeapAllocator, AlignmentIsKept) {
  HeapAllocator heap(1 << 20);
  heap.allocate(48, 16);
  const auto aligned = heap.allocate(100, 4096);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(*aligned % 4096, 0u);
  EXPECT_EQ(heap.allocate(16, 16), 48u);  // the gap before it is not lost
}

TEST(HeapAllocator, WhatIsNoBlockIsNotReleased) {
  HeapAllocator heap(1024);
  const auto a = heap.allocate(64, 16);
  EXPECT_FALSE(heap.release(*a + 16));
  EXPECT_TRUE(heap.release(*a));
  EXPECT_FALSE(heap.release(*a));
  EXPECT_FALSE(heap.allocate(0, 16).has_value());
  EXPECT_FALSE(heap.allocate(~uint64_t{0}, 16).has_value());
}

}  // namespace
}  // namespace shmem_sim::shmem
