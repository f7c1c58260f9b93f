#include "sim/shmem/heap_allocator.h"

#include <algorithm>

namespace shmem_sim::shmem {
namespace {

constexpr uint64_t kGranule = 16;

uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

HeapAllocator::HeapAllocator(uint64_t bytes) {
  free_[0] = bytes;
}

std::optional<uint64_t> HeapAllocator::allocate(uint64_t bytes, uint64_t alignment) {
  const uint64_t size = round_up(bytes, kGranule);
  const uint64_t to = std::max(alignment, kGranule);
  if (bytes == 0 || size < bytes) {
    return std::nullopt;
  }
  auto best = free_.end();
  for (auto item = free_.begin(); item != free_.end(); ++item) {
    const uint64_t lost = round_up(item->first, to) - item->first;
    const bool fits = item->second >= size && item->second - size >= lost;
    if (fits && (best == free_.end() || item->second < best->second)) {
      best = item;
    }
  }
  if (best == free_.end()) {
    return std::nullopt;
  }
  const auto [begin, room] = *best;
  const uint64_t offset = round_up(begin, to);
  free_.erase(best);
  if (offset > begin) {
    free_[begin] = offset - begin;
  }
  if (begin + room > offset + size) {
    free_[offset + size] = begin + room - offset - size;
  }
  live_[offset] = size;
  in_use_ += size;
  return offset;
}

bool HeapAllocator::release(uint64_t offset) {
  const auto found = live_.find(offset);
  if (found == live_.end()) {
    return false;
  }
  uint64_t size = found->second;
  in_use_ -= size;
  live_.erase(found);
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    free_.erase(next);
  }
  const auto behind = free_.lower_bound(offset);
  if (behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == offset) {
      before->second += size;
      return true;
    }
  }
  free_[offset] = size;
  return true;
}

uint64_t HeapAllocator::size_of(uint64_t offset) const {
  const auto found = live_.find(offset);
  return found == live_.end() ? 0 : found->second;
}

}  // namespace shmem_sim::shmem
