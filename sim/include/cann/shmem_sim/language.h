#pragma once

// Included before everything else when `bisheng` compiles kernel code. Qualifiers of the kernel
// language become marker identifiers, which the compiler wrapper reads after preprocessing and
// removes:
//
//   callee<<<blocks, l2, stream>>>(args)   ->  ::shmem_sim::kernel_launch(callee, "callee", file,
//   line, blocks, l2, stream)(args)
//   (__ubuf__ T*)e, reinterpret_cast<__ubuf__ T*>(e)   ->  ::shmem_sim::ub_cast<T*>(e)
//   [[bisheng::core_ratio(0, 1)]]   read, removed: a vector-only kernel; other kernels cannot be
//   launched here
//
// Without the wrapper (SHMEM_SIM_REWRITE undefined) they are empty, so that tests can compile
// device code directly.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#ifdef SHMEM_SIM_REWRITE
#define __gm__ __shmem_sim_gm__
#define __ubuf__ __shmem_sim_ubuf__
#define __cbuf__ __shmem_sim_cbuf__
#define __aicore__ __shmem_sim_aicore__
#define __global__ __shmem_sim_global__
#else
#define __gm__
#define __ubuf__
#define __cbuf__
#define __aicore__
#define __global__
#endif

// Public kernel files say `#define inline inline attribute((always_inline))`.
#define attribute(x) __attribute__(x)

#define __CCE_AICORE__ 220
#define __CCE_KT_TEST__ 0
#define __NPU_ARCH__ 2201
#define __DAV_C220_VEC__ 1

#include "shmem_sim/launch.h"
#include "shmem_sim/runtime.h"
