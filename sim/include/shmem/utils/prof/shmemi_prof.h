#pragma once

// Internals of the public library that its example kernels use. Phases are not timed: the simulator
// has no cycles to count.

#define SHMEMI_PROF_START(frame_id)
#define SHMEMI_PROF_END(frame_id)

#ifdef __CCE_AICORE__
#include "shmem.h"

// All blocks of the launch.
ACLSHMEM_DEVICE void aclshmemi_barrier_core_soft(::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::ascendc::sync_all(here.in("aclshmemi_barrier_core_soft"));
}
#endif
