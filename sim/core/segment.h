#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/control.h"

// The memory that the PEs of a job share: of every PE its control pages, a small area for the layer
// above, and its heap. Heaps lie at equal distances in one reserved range, with inaccessible memory
// between them. Internal to sim/core.

namespace shmem_sim {

class Segment {
 public:
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  // Reserves addresses for all heaps. False and errno when there is no room.
  bool reserve(int pe_count, uint64_t heap_bytes, uint64_t alignment);
  // Maps the memory file of `pe`. False and errno on failure; EINVAL when the file is too short.
  bool map(int pe, int file);
  ~Segment();
  // Takes everything out of the address space. place() finds nothing afterwards.
  void unmap();

  // Size of a PE's memory file.
  static uint64_t file_bytes(uint64_t heap_bytes);

  std::byte* heap(int pe) const { return base_ + static_cast<uint64_t>(pe) * stride_; }
  uint64_t heap_bytes() const { return heap_bytes_; }
  Control& control(int pe) const { return *pages_[static_cast<size_t>(pe)]; }
  std::byte* user_control(int pe) const {
    return reinterpret_cast<std::byte*>(pages_[static_cast<size_t>(pe)]) + kControlBytes;
  }
  SymmetricPlace place(const void* address) const {
    const auto distance = static_cast<uint64_t>(static_cast<const std::byte*>(address) - base_);
    const uint64_t pe = distance / stride_;
    const uint64_t offset = distance % stride_;
    if (address < base_ || pe >= pages_.size() || offset >= heap_bytes_) {
      return {};
    }
    return {static_cast<int>(pe), offset};
  }

 private:
  std::byte* base_ = nullptr;
  uint64_t stride_ = 1;
  uint64_t heap_bytes_ = 0;
  uint64_t reserved_bytes_ = 0;
  std::vector<Control*> pages_;
};

}  // namespace shmem_sim
