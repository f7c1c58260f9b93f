#include <fmt/format.h>

#include <chrono>

#include "sim/ascendc/pipe.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"
#include "sim/core/wait.h"
#include "sim/include/cann/shmem_sim/runtime.h"

// Loops that look at a word again and again instead of calling a wait. A fiber that never suspends
// would keep every other block from running, so looking is a suspension point: at first others run
// once, then the block parks until the word has changed or a short time is over.

namespace shmem_sim::ascendc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kUnnoticed = 4;  // polls in a row that may be no loop at all
constexpr uint64_t kYields = 64;
constexpr auto kPause = std::chrono::microseconds(50);

void report_endless(const void* word, const Site& site, const BlockPipes::Polls& polls) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - polls.since);
  const std::string what = word == nullptr
                               ? "some word"
                               : fmt::format("{}, last written by {}", word, last_writer(word));
  const std::string text = fmt::format("{} polled {} times within {} s and did nothing else, on {}",
                                       site.call,
                                       polls.count,
                                       seconds.count(),
                                       what);
  fail("wait-deadline", text);
}

void park(const void* word, size_t bytes, const Site& site) {
  const uint64_t before = word == nullptr ? 0 : load_word(word, bytes);
  const auto until = Clock::now() + kPause;
  const auto ready = [&] {
    return (word != nullptr && load_word(word, bytes) != before) || Clock::now() >= until;
  };
  const WaitPlace place{site.call, word, nullptr, nullptr, until};
  wait_until(place, Ready(ready));
}

}  // namespace

void poll(const void* word, size_t bytes, const Site& site) {
  Block* block = current_block();
  if (block == nullptr || block->local == nullptr) {
    yield();
    return;
  }
  block->last_call = site.call;
  block->line = {site.file, site.line};
  BlockPipes::Polls& polls = pipes().polls;
  ++polls.count;
  if (polls.count <= kUnnoticed) {
    return;
  }
  if (polls.count <= kYields) {
    polls.since = Clock::now();
    yield();
    return;
  }
  if (Clock::now() - polls.since > std::chrono::milliseconds(config().wait_timeout_ms)) {
    report_endless(word, site, polls);
  }
  park(word, bytes, site);
}

}  // namespace shmem_sim::ascendc
