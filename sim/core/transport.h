#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/api.h"

// Every transfer between PEs. Today all PEs are on one host and a transfer is a copy inside mapped
// memory; another implementation may stand behind the same functions. Addresses are as heap_base()
// gives them. Writes publish what they wrote. Not ordered with anything: ordering is made above, by
// completing a transfer only when the rules of the kernel language say so.

namespace shmem_sim {

SHMEM_SIM_API void transfer(void* destination, const void* source, size_t bytes);

// A store of 1, 2, 4 or 8 bytes that other PEs see as one, with release.
SHMEM_SIM_API void store_word(void* destination, uint64_t value, size_t bytes);
SHMEM_SIM_API uint64_t load_word(const void* source, size_t bytes);  // acquire
SHMEM_SIM_API uint64_t fetch_add_word(void* destination,
                                      uint64_t value,
                                      size_t bytes);  // old value

}  // namespace shmem_sim
