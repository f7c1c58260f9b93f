#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/api.h"

namespace shmem_sim {

// Reserves `count` windows of `window_bytes`, all inaccessible. Ends the process with a message
// when addresses run out.
SHMEM_SIM_API std::byte* reserve_windows(uint64_t count, uint64_t window_bytes);

// Makes the first `usable_bytes` of a window readable and writable. Its pages appear when they are
// touched.
SHMEM_SIM_API void open_window(std::byte* window, uint64_t usable_bytes);

}  // namespace shmem_sim
