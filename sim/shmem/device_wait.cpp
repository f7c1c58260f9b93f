#include <fmt/format.h>

#include <atomic>
#include <string>

#include "sim/core/block.h"
#include "sim/core/doorbell.h"
#include "sim/core/job.h"
#include "sim/core/wait.h"
#include "sim/shmem/device.h"

// Waiting for several words, looking at them, and the barrier of all blocks of all PEs.

namespace shmem_sim::shmem::device {
namespace {

const void* word_at(const Words& words, size_t i) {
  return static_cast<const std::byte*>(words.first) + i * words.bytes;
}

bool takes_part(const Words& words, size_t i) {
  return words.masked == nullptr || words.masked[i] == 0;
}

bool holds(const Words& words, size_t i) {
  const auto* value = static_cast<const std::byte*>(words.value) + i * words.value_stride;
  return words.holds(words.comparison, word_at(words, i), value);
}

size_t first_that_holds(const Words& words) {
  for (size_t i = 0; i < words.count; ++i) {
    if (takes_part(words, i) && holds(words, i)) {
      return i;
    }
  }
  return SIZE_MAX;
}

bool any_takes_part(const Words& words) {
  for (size_t i = 0; i < words.count; ++i) {
    if (takes_part(words, i)) {
      return true;
    }
  }
  return false;
}

// Whoever changes one of the words rings from now on.
void announce(const Words& words) {
  for (size_t i = 0; i < words.count; ++i) {
    if (takes_part(words, i)) {
      announce_wait(word_at(words, i));
    }
  }
}

void require_memory(const Words& words, const Site& site) {
  ascendc::require_device_memory(words.first, words.count * words.bytes, "words", site);
}

void check(const Words& words, const Site& site) {
  ascendc::enter(site);
  require_memory(words, site);
}

std::string describe(const void* context) {
  const auto& words = *static_cast<const Words*>(context);
  size_t left = 0;
  for (size_t i = 0; i < words.count; ++i) {
    left += takes_part(words, i) && !holds(words, i) ? 1 : 0;
  }
  return fmt::format("first of {} words, {} of which do not hold (comparison {})",
                     words.count,
                     left,
                     words.comparison);
}

template <class Done>
void wait_for(const Words& words, const Site& site, const Done& done) {
  const auto ready = [&] {
    announce(words);  // before looking, so that no change is missed
    return done();
  };
  const WaitPlace place{site.call, words.first, &describe, &words};
  if (!done()) {
    wait_until(place, Ready(ready));
  }
}

void poll_words(const Words& words, const Site& site) {
  if (words.count == 1) {
    ascendc::poll(words.first, words.bytes, site);
  } else {
    announce(words);
    ascendc::poll(nullptr, 0, site);
  }
}

size_t collect(const Words& words, size_t* indices) {
  size_t found = 0;
  for (size_t i = 0; i < words.count; ++i) {
    if (takes_part(words, i) && holds(words, i)) {
      indices[found++] = i;
    }
  }
  return found;
}

bool all_hold(const Words& words) {
  for (size_t i = 0; i < words.count; ++i) {
    if (takes_part(words, i) && !holds(words, i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

size_t wait_any(const Words& words, const Site& site) {
  check(words, site);
  if (!any_takes_part(words)) {
    return SIZE_MAX;
  }
  wait_for(words, site, [&] { return first_that_holds(words) != SIZE_MAX; });
  return first_that_holds(words);
}

size_t wait_some(const Words& words, size_t* indices, const Site& site) {
  check(words, site);
  if (!any_takes_part(words)) {
    return 0;
  }
  wait_for(words, site, [&] { return first_that_holds(words) != SIZE_MAX; });
  return collect(words, indices);
}

void wait_all(const Words& words, const Site& site) {
  check(words, site);
  for (size_t i = 0; i < words.count; ++i) {  // one after the other: each need hold only once
    if (takes_part(words, i)) {
      Words one = words;
      one.first = word_at(words, i);
      one.count = 1;
      one.masked = nullptr;
      one.value = static_cast<const std::byte*>(words.value) + i * words.value_stride;
      wait_for(one, site, [&] { return all_hold(one); });
    }
  }
}

size_t test_any(const Words& words, const Site& site) {
  require_memory(words, site);
  poll_words(words, site);
  return first_that_holds(words);
}

size_t test_some(const Words& words, size_t* indices, const Site& site) {
  require_memory(words, site);
  poll_words(words, site);
  return collect(words, indices);
}

bool test_all(const Words& words, const Site& site) {
  require_memory(words, site);
  poll_words(words, site);
  return all_hold(words);
}

namespace {

// In each PE's user control area: how many device barriers it has entered.
std::atomic<uint64_t>& barrier_count(int pe) {
  return *reinterpret_cast<std::atomic<uint64_t>*>(user_control(pe));
}

}  // namespace

// Block 0 of each PE announces its PE and waits for the others, between two barriers of the PE's
// own blocks.
void barrier(aclshmem_team_t team, const Site& site) {
  ascendc::enter(site);
  if (team == ACLSHMEM_TEAM_INVALID) {
    return;
  }
  if (team != ACLSHMEM_TEAM_WORLD) {
    ascendc::fail(
        "unmodelled-call",
        fmt::format("{}: team {}: only ACLSHMEM_TEAM_WORLD is modelled", site.call, team));
  }
  sync_all_blocks();
  if (current_block()->index == 0) {
    const uint64_t round = barrier_count(job_pe()).fetch_add(1) + 1;
    ring_all_doorbells();
    const auto everybody = [round] {
      for (int pe = 0; pe < job_pe_count(); ++pe) {
        if (barrier_count(pe).load(std::memory_order_acquire) < round) {
          return false;
        }
      }
      return true;
    };
    const WaitPlace place{site.call, nullptr, nullptr, nullptr};
    wait_until(place, Ready(everybody));
  }
  sync_all_blocks();
}

}  // namespace shmem_sim::shmem::device
