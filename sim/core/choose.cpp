#include "sim/core/choose.h"

#include <pthread.h>

#include <atomic>

#include "sim/core/config.h"
#include "sim/core/job.h"

namespace shmem_sim {
namespace {

uint64_t mix(uint64_t x) {  // splitmix64's finaliser
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::atomic<uint64_t> g_position{0};

// A forked PE makes its first choice first, whatever its parent has chosen.
void start_again_in_child() {
  g_position = 0;
}

}  // namespace

bool adversarial() {
  return config().adversarial();
}

uint64_t choose(uint64_t limit) {
  if (!adversarial() || limit <= 1) {
    return 0;
  }
  static const int registered = pthread_atfork(nullptr, nullptr, &start_again_in_child);
  static_cast<void>(registered);
  const auto pe = static_cast<uint64_t>(job_pe()) + 1;
  const uint64_t at = g_position.fetch_add(1, std::memory_order_relaxed);
  return mix(mix(static_cast<uint64_t>(config().seed_number) * 0x9e3779b97f4a7c15u + pe) + at) %
         limit;
}

}  // namespace shmem_sim
