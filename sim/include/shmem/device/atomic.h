#pragma once

// Atomic additions of integers. Forms that return a value and floating point are not modelled and
// do not compile.

#include "device/runtime.h"

#define ACLSHMEM_SIM_ADD(NAME, TYPE)                                                      \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_atomic_add(                                      \
      __gm__ TYPE* dst, TYPE value, int pe, ::shmem_sim::shmem::device::Here here = {}) { \
    ::shmem_sim::shmem::device::add(dst,                                                  \
                                    static_cast<uint64_t>(value),                         \
                                    sizeof(TYPE),                                         \
                                    pe,                                                   \
                                    here.in("aclshmem_" #NAME "_atomic_add"));            \
  }                                                                                       \
  static_assert(sizeof(TYPE) > 0, "")
#define ACLSHMEM_SIM_INC(NAME, TYPE)                                          \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_atomic_inc(                          \
      __gm__ TYPE* dst, int pe, ::shmem_sim::shmem::device::Here here = {}) { \
    ::shmem_sim::shmem::device::add(                                          \
        dst, 1, sizeof(TYPE), pe, here.in("aclshmem_" #NAME "_atomic_inc"));  \
  }                                                                           \
  static_assert(sizeof(TYPE) > 0, "")

ACLSHMEM_SIM_ADD(int8, int8_t);
ACLSHMEM_SIM_ADD(int16, int16_t);
ACLSHMEM_SIM_ADD(int32, int32_t);
ACLSHMEM_SIM_ADD(int64, int64_t);
ACLSHMEM_SIM_ADD(uint32, uint32_t);
ACLSHMEM_SIM_ADD(uint64, uint64_t);
ACLSHMEM_SIM_INC(int32, int32_t);
ACLSHMEM_SIM_INC(int64, int64_t);
ACLSHMEM_SIM_INC(uint32, uint32_t);
ACLSHMEM_SIM_INC(uint64, uint64_t);
#undef ACLSHMEM_SIM_ADD
#undef ACLSHMEM_SIM_INC
