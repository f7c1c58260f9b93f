#include "sim/core/doorbell.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>
#include <string_view>

#include "sim/core/block.h"
#include "sim/core/control.h"
#include "sim/core/wait.h"
#include "sim/core/yield_pause.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kYields = 32;
constexpr auto kSlowYield = 200us;  // another process had the core

constexpr uint64_t kHostThread = 0xffff;  // in place of a block number

struct OwnPages {
  int file = -1;
  Control* control = nullptr;
};

std::atomic<OwnPages*> g_pages{nullptr};

void forget_pages_in_child() {
  g_pages.store(nullptr);
}

OwnPages* make_pages() {
  auto* pages = new OwnPages;
  pages->file = memfd_create("shmem-sim", MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  if (pages->file >= 0 && ftruncate(pages->file, kControlBytes) == 0) {
    memory = mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, pages->file, 0);
  }
  if (memory == MAP_FAILED) {
    std::perror("shmem-sim: no memory file for the control pages (memfd_create, ftruncate, mmap)");
    std::abort();
  }
  pages->control = static_cast<Control*>(memory);
  return pages;
}

OwnPages& own_pages() {
  OwnPages* pages = g_pages.load(std::memory_order_acquire);
  if (pages == nullptr) {
    static std::mutex* mutex = new std::mutex;
    const std::lock_guard lock(*mutex);
    pages = g_pages.load();
    if (pages == nullptr) {
      static const int registered = pthread_atfork(nullptr, nullptr, &forget_pages_in_child);
      static_cast<void>(registered);
      pages = make_pages();
      g_pages.store(pages, std::memory_order_release);
    }
  }
  return *pages;
}

long futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

size_t waiter_slot(uint64_t offset) {
  return static_cast<size_t>(((offset >> 6) * 0x9e3779b97f4a7c15u) >> 40) % kWaiterSlots;
}

size_t writer_slot(uint64_t offset) {
  return static_cast<size_t>(((offset >> 2) * 0x9e3779b97f4a7c15u) >> 40) % kWriterSlots;
}

// Cheap and good to a few milliseconds. The same clock in all processes of the host.
uint64_t coarse_milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

// Where the own pages keep this kernel's name. Names that meet in a slot take it from each other.
size_t name_slot(std::string_view name) {
  const size_t slot = std::hash<std::string_view>{}(name) % kKernelNames;
  char* kept = own_control().kernel_names[slot];
  const size_t length = std::min(name.size(), kKernelNameBytes - 1);
  if (std::memcmp(kept, name.data(), length) != 0 || kept[length] != '\0') {
    std::memcpy(kept, name.data(), length);
    kept[length] = '\0';
  }
  return slot;
}

void add(PeSet& set, int pe) {
  std::atomic<uint64_t>& word = set.words[static_cast<size_t>(pe) / 64];
  const uint64_t bit = uint64_t{1} << (pe % 64);
  if ((word.load(std::memory_order_seq_cst) & bit) == 0) {
    word.fetch_or(bit, std::memory_order_seq_cst);
  }
}

void ring(Control& control) {
  advance_and_wake(control.doorbell, control.sleeping);
}

void take_and_ring(PeSet& set, int pe_count) {
  for (int first = 0; first < pe_count; first += 64) {
    std::atomic<uint64_t>& word = set.words[first / 64];
    if (word.load(std::memory_order_relaxed) == 0) {
      continue;
    }
    for (uint64_t bits = word.exchange(0); bits != 0; bits &= bits - 1) {
      ring(job_control(first + __builtin_ctzll(bits)));
    }
  }
}

}  // namespace

Control& own_control() {
  return *own_pages().control;
}
int own_memory_file() {
  return own_pages().file;
}

void clear_control(Control& control) {
  control.barrier_state = 0;
  control.barrier_generation = 0;
  control.barriers_entered = 0;
  control.fate = Fate::kRuns;
  control.fate_taken = false;
  const auto clear = [](PeSet& set) {
    for (auto& word : set.words) {
      word = 0;
    }
  };
  clear(control.any_waiter);
  for (PeSet& set : control.waiters) {
    clear(set);
  }
  for (Writer& writer : control.writers) {
    writer.who = 0;
  }
}

void set_fate(Control& control, Fate fate, std::string_view text) {
  if (control.fate_taken.exchange(true)) {
    return;
  }
  const size_t length = std::min(text.size(), sizeof control.reason - 1);
  std::memcpy(control.reason, text.data(), length);
  control.reason[length] = '\0';
  control.fate.store(fate, std::memory_order_release);
}

std::string reason_of(const Control& control) {
  return {control.reason, strnlen(control.reason, sizeof control.reason)};
}

void adaptive_wait(std::atomic<uint32_t>& word,
                   std::atomic<uint32_t>& sleeping,
                   uint32_t seen,
                   std::chrono::nanoseconds longest) {
  thread_local YieldPause pause;
  auto now = Clock::now();
  for (int i = 0; i < kYields && !pause.holds(now); ++i) {
    if (word.load(std::memory_order_acquire) != seen) {
      return;
    }
    sched_yield();
    const auto after = Clock::now();
    if (after - now > kSlowYield) {
      pause.begin(after);
    }
    now = after;
  }
  sleeping.store(1, std::memory_order_seq_cst);
  if (word.load(std::memory_order_seq_cst) == seen) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
    const timespec timeout{seconds.count(), (longest - seconds).count()};
    futex(word, FUTEX_WAIT, seen, &timeout);
  }
}

void advance_and_wake(std::atomic<uint32_t>& word, std::atomic<uint32_t>& sleeping) {
  word.fetch_add(1, std::memory_order_seq_cst);
  if (sleeping.load(std::memory_order_seq_cst) != 0 && sleeping.exchange(0) != 0) {
    futex(word, FUTEX_WAKE, INT_MAX, nullptr);
  }
}

uint32_t doorbell_value() {
  return own_control().doorbell.load(std::memory_order_acquire);
}

void sleep_on_doorbell(uint32_t seen, std::chrono::nanoseconds longest) {
  Control& control = own_control();
  adaptive_wait(control.doorbell, control.sleeping, seen, longest);
}

void ring_doorbell() {
  ring(own_control());
}

void ring_all_doorbells() {
  for (int pe = 0; pe < job_pe_count(); ++pe) {
    ring(job_control(pe));
  }
}

void announce_wait(const void* address) {
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0) {
    if (address != nullptr) {  // publish() in this process rings from now on
      own_control().sleeping.store(1, std::memory_order_seq_cst);
    }
  } else {
    Control& owner = job_control(place.pe);
    add(owner.any_waiter, job_pe());
    add(owner.waiters[waiter_slot(place.offset)], job_pe());
  }
}

void publish(const void* address, size_t bytes) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0) {
    Control& own = own_control();
    if (own.sleeping.load(std::memory_order_relaxed) != 0) {
      ring(own);
    }
    return;
  }
  Control& owner = job_control(place.pe);
  const int pe_count = job_pe_count();
  if ((place.offset & 63) + bytes <= 64) {
    take_and_ring(owner.waiters[waiter_slot(place.offset)], pe_count);
  } else {
    take_and_ring(owner.any_waiter, pe_count);
  }
}

void note_writer(const void* address) {
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0) {
    return;
  }
  const Block* block = current_block();
  const auto index = static_cast<uint64_t>(block == nullptr ? kHostThread : block->index & 0xffff);
  const uint64_t kernel = block == nullptr ? 0 : 1 + name_slot(kernel_name(*block));
  Writer& writer = job_control(place.pe).writers[writer_slot(place.offset)];
  writer.who.store((place.offset & 0xffffffffu) << 32 |
                       (static_cast<uint64_t>(job_pe() + 1) & 0xffff) << 16 | index,
                   std::memory_order_relaxed);
  writer.detail.store(coarse_milliseconds() << 8 | kernel, std::memory_order_relaxed);
}

std::string last_writer(const void* address) {
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0) {
    return "unknown (not symmetric memory)";
  }
  const Writer& writer = job_control(place.pe).writers[writer_slot(place.offset)];
  const uint64_t who = writer.who.load();
  if (who == 0 || who >> 32 != (place.offset & 0xffffffffu)) {
    return "nobody";
  }
  const uint64_t detail = writer.detail.load();
  const auto pe = static_cast<int>((who >> 16) & 0xffff) - 1;
  const uint64_t kernel = detail & 0xff;
  std::string where = ", host thread";
  if (kernel != 0 && kernel <= kKernelNames && pe < job_pe_count()) {
    const char* name = job_control(pe).kernel_names[kernel - 1];
    where = fmt::format(", kernel {}, block {}",
                        std::string_view(name, strnlen(name, kKernelNameBytes)),
                        who & 0xffff);
  }
  const uint64_t now = coarse_milliseconds();
  return fmt::format("PE {}{}, {} ms ago", pe, where, now - std::min(now, detail >> 8));
}

}  // namespace shmem_sim
