#pragma once

#include <cstddef>
#include <cstdint>

// Unified buffers: one arena per process, one window per live block (Block::slot), so that "is this
// a unified-buffer address" is a range check. Pages are touched only when a kernel uses them. The
// last quarter of each window is inaccessible.

namespace shmem_sim::ascendc {

inline constexpr int kMaxSlots = 65536;

std::byte* ub_window(int slot);

// True when the address lies in some block's window.
bool in_ub_arena(const void* address);

}  // namespace shmem_sim::ascendc
