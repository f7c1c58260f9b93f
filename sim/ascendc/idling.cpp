#include "sim/ascendc/idling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/ascendc/pipe.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/wait.h"

namespace shmem_sim::ascendc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kUnnoticed = 4;  // looks in a row that may be no loop at all
constexpr uint64_t kYields = 64;
constexpr uint64_t kNeutral = 256;
constexpr uint64_t kBudget = 1024;  // calls of any kind before others get their turn
constexpr auto kPause = std::chrono::microseconds(50);

uint64_t content_of(const void* word, size_t bytes) {
  uint64_t content = 0xcbf29ce484222325u;
  for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    uint64_t part = 0;
    std::memcpy(&part, static_cast<const std::byte*>(word) + at, std::min(sizeof part, bytes - at));
    content = (content ^ part) * 0x9e3779b97f4a7c15u;
  }
  return content;
}

}  // namespace

void Idling::share_the_core() {
  if (++total_ % kBudget == 0) {
    yield();
  }
}

void Idling::progress(const Site&) {
  in_vain_ = 0;
  share_the_core();
}

void Idling::neutral(const Site& site) {
  share_the_core();
  if (++in_vain_ % kNeutral == 0) {
    pause(nullptr, 0, site);
  }
}

bool Idling::is_unchanged(const void* word, size_t bytes) {
  if (seen_ == nullptr) {
    seen_ = std::make_unique<std::array<Seen, kWords>>();
  }
  const auto hash = (reinterpret_cast<uintptr_t>(word) >> 2) * 0x9e3779b97f4a7c15u;
  Seen& seen = (*seen_)[static_cast<size_t>(hash >> 56)];
  const uint64_t content = content_of(word, bytes);
  const bool unchanged = seen.word == word && seen.content == content;
  seen = {word, content};
  return unchanged;
}

void Idling::look(const void* word, size_t bytes, const Site& site) {
  if (word != nullptr && !is_unchanged(word, bytes)) {
    progress(site);
    return;
  }
  share_the_core();
  ++in_vain_;
  if (in_vain_ > kYields) {
    pause(word, bytes, site);
  } else if (in_vain_ > kUnnoticed) {
    since_ = Clock::now();
    yield();
  }
}

// Parks for a moment, or until the word has changed.
void Idling::pause(const void* word, size_t bytes, const Site& site) {
  const auto now = Clock::now();
  if (in_vain_ <= kNeutral && word == nullptr) {
    since_ = now;  // the first rest of a loop over barriers
  }
  if (now - since_ > std::chrono::milliseconds(config().wait_timeout_ms)) {
    const std::string what =
        word == nullptr
            ? ""
            : fmt::format("; last looked at {}, last written by {}", word, last_writer(word));
    fail("wait-deadline",
         fmt::format("{} calls within {} ms that only look, the last {}{}",
                     in_vain_,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now - since_).count(),
                     site.call,
                     what));
  }
  const uint64_t before = word == nullptr ? 0 : content_of(word, bytes);
  const auto ready = [&] {
    return (word != nullptr && content_of(word, bytes) != before) || Clock::now() >= now + kPause;
  };
  const WaitPlace place{site.call, word, nullptr, nullptr, now + kPause};
  wait_until(place, Ready(ready));
}

void poll(const void* word, size_t bytes, const Site& site) {
  Block* block = current_block();
  if (block == nullptr || block->local == nullptr) {
    yield();
    return;
  }
  block->last_call = site.call;
  block->line = {site.file, site.line};
  pipes().idling.look(word, bytes, site);
}

}  // namespace shmem_sim::ascendc
