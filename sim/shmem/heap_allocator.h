#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace shmem_sim::shmem {

// Offsets within a symmetric heap: best fit, 16-byte granules, neighbours coalesce. Deterministic,
// so that equal calls give equal offsets on every PE.
class HeapAllocator {
 public:
  explicit HeapAllocator(uint64_t bytes);

  std::optional<uint64_t> allocate(uint64_t bytes, uint64_t alignment);
  // False for anything that is not the start of a live block.
  bool release(uint64_t offset);
  // Size of the live block that starts at `offset`, 0 when there is none.
  uint64_t size_of(uint64_t offset) const;
  uint64_t bytes_in_use() const { return in_use_; }
  size_t live_blocks() const { return live_.size(); }

 private:
  std::map<uint64_t, uint64_t> free_;  // offset -> bytes
  std::map<uint64_t, uint64_t> live_;
  uint64_t in_use_ = 0;
};

}  // namespace shmem_sim::shmem
