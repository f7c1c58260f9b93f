#include "sim/core/transport.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/core/doorbell.h"
#include "sim/core/wait.h"

namespace shmem_sim {
namespace {

template <class Word>
std::atomic_ref<Word> as_atomic(const void* address) {
  return std::atomic_ref<Word>(*static_cast<Word*>(const_cast<void*>(address)));
}

[[noreturn]] void bad_word_size(size_t bytes) {
  fmt::print(stderr, "shmem-sim: a word of {} bytes\n", bytes);
  std::abort();
}

// Calls `action` with an atomic reference of the word's size.
template <class Action>
uint64_t with_word(const void* address, size_t bytes, Action action) {
  switch (bytes) {
    case 1:
      return action(as_atomic<uint8_t>(address));
    case 2:
      return action(as_atomic<uint16_t>(address));
    case 4:
      return action(as_atomic<uint32_t>(address));
    case 8:
      return action(as_atomic<uint64_t>(address));
    default:
      bad_word_size(bytes);
  }
}

}  // namespace

void transfer(void* destination, const void* source, size_t bytes) {
  std::memmove(destination, source, bytes);
  publish(destination, bytes);
}

void store_word(void* destination, uint64_t value, size_t bytes) {
  note_writer(destination);
  with_word(destination, bytes, [value](auto word) -> uint64_t {
    using Word = typename decltype(word)::value_type;
    word.store(static_cast<Word>(value), std::memory_order_release);
    return 0;
  });
  publish(destination, bytes);
}

uint64_t load_word(const void* source, size_t bytes) {
  return with_word(
      source, bytes, [](auto word) -> uint64_t { return word.load(std::memory_order_acquire); });
}

uint64_t fetch_add_word(void* destination, uint64_t value, size_t bytes) {
  note_writer(destination);
  const uint64_t old = with_word(destination, bytes, [value](auto word) -> uint64_t {
    using Word = typename decltype(word)::value_type;
    return word.fetch_add(static_cast<Word>(value), std::memory_order_acq_rel);
  });
  publish(destination, bytes);
  return old;
}

}  // namespace shmem_sim
