#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/include/cann/shmem_sim/runtime.h"

// Loops of a kernel that look at words again and again instead of calling a wait. A fiber that
// never suspends would keep every other block from running, so a call that gets nowhere is a
// suspension point: at first others run once, then the block parks until the word has changed or a
// short time is over, and in the end there is a deadline.

namespace shmem_sim::ascendc {

class Idling {
 public:
  // The program has done something that others may see, or waited.
  void progress(const Site& site);

  // A call that changes nothing: a flag, a barrier.
  void neutral(const Site& site);

  // The program looks at a word (null: at any) of up to kSmall bytes. One that has changed since it
  // was last looked at is progress.
  void look(const void* word, size_t bytes, const Site& site);

  static constexpr size_t kSmall = 64;

 private:
  struct Seen {
    const void* word = nullptr;
    uint64_t content = 0;
  };
  static constexpr size_t kWords = 256;

  bool is_unchanged(const void* word, size_t bytes);
  void pause(const void* word, size_t bytes, const Site& site);
  void share_the_core();

  uint64_t total_ = 0;
  uint64_t in_vain_ = 0;  // calls since the last progress
  std::chrono::steady_clock::time_point since_{};
  std::unique_ptr<std::array<Seen, kWords>> seen_;
};

}  // namespace shmem_sim::ascendc
