#pragma once

#include <cstdint>

#include "sim/core/api.h"

// The one place free choices come from: order of blocks, length of delays, which transfer completes
// first. Eagerly it answers 0 always, so that nothing is reordered; adversarially from
// SHMEM_SIM_SEED, the PE and the position of the choice, so that a printed seed replays.

namespace shmem_sim {

// A number in [0, limit); limit >= 1. Thread-safe.
SHMEM_SIM_API uint64_t choose(uint64_t limit);

// True when choices are adversarial (a seed is set).
SHMEM_SIM_API bool adversarial();

}  // namespace shmem_sim
