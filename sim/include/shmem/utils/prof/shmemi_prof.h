#pragma once

// Cycle counters that public kernels set around their phases. The simulator has no cycles to count.
#define SHMEMI_PROF_START(frame_id)
#define SHMEMI_PROF_END(frame_id)
