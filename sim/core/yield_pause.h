#pragma once

#include <algorithm>
#include <chrono>

// When not to yield. Yielding passes a core on in a microsecond while its other processes only
// wait, but to a process that computes it gives a whole slice. So nobody yields for a while after a
// slow yield: 1 ms, and four times as long, up to 20 ms, when the yields after the last pause are
// slow again. A process that is busy for a moment (peers that start) costs little; one that stays
// busy costs a slow yield in 20 ms.

namespace shmem_sim {

class YieldPause {
 public:
  using Clock = std::chrono::steady_clock;

  // Between the pause's begin and its end.
  bool holds(Clock::time_point now) const { return now < end_; }

  // After a yield that was slow.
  void begin(Clock::time_point now) {
    const bool again = now - end_ < kLongest;
    length_ = again ? std::min(length_ * 4, kLongest) : kShortest;
    end_ = now + length_;
  }

 private:
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::milliseconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(20);

  std::chrono::nanoseconds length_ = kShortest;
  Clock::time_point end_;
};

}  // namespace shmem_sim
