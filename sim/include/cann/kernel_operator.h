#pragma once

// The part of the AscendC language that copy kernels use. What is not here does not compile;
// docs/simulator.md lists it. These headers keep to `__inline__`: public kernels define `inline` as
// a macro of their own before they include them.

#include "shmem_sim/data_copy.h"
#include "shmem_sim/float16.h"
#include "shmem_sim/language.h"
#include "shmem_sim/queue.h"
#include "shmem_sim/runtime.h"
#include "shmem_sim/sync.h"
#include "shmem_sim/tensor.h"

using half =
    ::shmem_sim::Float16<::shmem_sim::DeviceHalf, ::shmem_sim::half_bits, ::shmem_sim::half_value>;
using float16_t = half;
using bfloat16_t = ::shmem_sim::
    Float16<::shmem_sim::DeviceBfloat16, ::shmem_sim::bfloat16_bits, ::shmem_sim::bfloat16_value>;

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif
