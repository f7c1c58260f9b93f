#pragma once

// Signals. ACLSHMEM_SIGNAL_SET may overtake data that is in flight; the put_signal forms complete
// the data first.

#include "device/order.h"
#include "device/rma.h"
#include "device/runtime.h"

ACLSHMEM_DEVICE void aclshmemx_signal_op(__gm__ int32_t* word,
                                         int32_t value,
                                         int operation,
                                         int pe,
                                         ::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::signal(word, value, operation, pe, here.in("aclshmemx_signal_op"));
}
#define shmemx_signal_op aclshmemx_signal_op

// Non-blocking and blocking forms are the same here: the data is complete before the signal is
// sent.
#define ACLSHMEM_SIM_PUTMEM_SIGNAL(NAME, BYTES)                                      \
  ACLSHMEM_DEVICE void NAME(__gm__ void* dst,                                        \
                            __gm__ void* src,                                        \
                            size_t n,                                                \
                            __gm__ int32_t* sig,                                     \
                            int32_t value,                                           \
                            int operation,                                           \
                            int pe,                                                  \
                            ::shmem_sim::shmem::device::Here here = {}) {            \
    ::shmem_sim::shmem::device::put_direct(dst, src, n*(BYTES), pe, here.in(#NAME)); \
    ::shmem_sim::shmem::device::quiet(here.in(#NAME));                               \
    ::shmem_sim::shmem::device::signal(sig, value, operation, pe, here.in(#NAME));   \
  }                                                                                  \
  static_assert(BYTES > 0, "")

ACLSHMEM_SIM_PUTMEM_SIGNAL(aclshmem_putmem_signal, 1);
ACLSHMEM_SIM_PUTMEM_SIGNAL(aclshmem_putmem_signal_nbi, 1);
#define ACLSHMEM_SIM_SIZED_PUT_SIGNAL(BITS)                            \
  ACLSHMEM_SIM_PUTMEM_SIGNAL(aclshmem_put##BITS##_signal, (BITS / 8)); \
  ACLSHMEM_SIM_PUTMEM_SIGNAL(aclshmem_put##BITS##_signal_nbi, (BITS / 8))
ACLSHMEM_SIZE_FUNC(ACLSHMEM_SIM_SIZED_PUT_SIGNAL);
#undef ACLSHMEM_SIM_SIZED_PUT_SIGNAL
#undef ACLSHMEM_SIM_PUTMEM_SIGNAL

// Pointers and tensors, elements and rows.
#define ACLSHMEM_SIM_PUT_SIGNAL_AS(NAME, TYPE)                                              \
  ACLSHMEM_DEVICE void NAME(__gm__ TYPE* dst,                                               \
                            __gm__ TYPE* src,                                               \
                            size_t n,                                                       \
                            __gm__ int32_t* sig,                                            \
                            int32_t value,                                                  \
                            int operation,                                                  \
                            int pe,                                                         \
                            ::shmem_sim::shmem::device::Here here = {}) {                   \
    ::shmem_sim::shmem::device::put_direct(dst, src, n * sizeof(TYPE), pe, here.in(#NAME)); \
    ::shmem_sim::shmem::device::quiet(here.in(#NAME));                                      \
    ::shmem_sim::shmem::device::signal(sig, value, operation, pe, here.in(#NAME));          \
  }                                                                                         \
  ACLSHMEM_DEVICE void NAME(__gm__ TYPE* dst,                                               \
                            __gm__ TYPE* src,                                               \
                            const non_contiguous_copy_param& params,                        \
                            __gm__ int32_t* sig,                                            \
                            int32_t value,                                                  \
                            int operation,                                                  \
                            int pe,                                                         \
                            ::shmem_sim::shmem::device::Here here = {}) {                   \
    ::shmem_sim::shmem::device::put_rows_direct(                                            \
        dst, src, ::shmem_sim::shmem::device::rows_of<TYPE>(params), pe, here.in(#NAME));   \
    ::shmem_sim::shmem::device::quiet(here.in(#NAME));                                      \
    ::shmem_sim::shmem::device::signal(sig, value, operation, pe, here.in(#NAME));          \
  }                                                                                         \
  ACLSHMEM_DEVICE void NAME(AscendC::GlobalTensor<TYPE> dst,                                \
                            AscendC::GlobalTensor<TYPE> src,                                \
                            size_t n,                                                       \
                            __gm__ int32_t* sig,                                            \
                            int32_t value,                                                  \
                            int operation,                                                  \
                            int pe,                                                         \
                            ::shmem_sim::shmem::device::Here here = {}) {                   \
    NAME(dst.GetPhyAddr(), src.GetPhyAddr(), n, sig, value, operation, pe, here);           \
  }                                                                                         \
  ACLSHMEM_DEVICE void NAME(AscendC::GlobalTensor<TYPE> dst,                                \
                            AscendC::GlobalTensor<TYPE> src,                                \
                            const non_contiguous_copy_param& params,                        \
                            __gm__ int32_t* sig,                                            \
                            int32_t value,                                                  \
                            int operation,                                                  \
                            int pe,                                                         \
                            ::shmem_sim::shmem::device::Here here = {}) {                   \
    NAME(dst.GetPhyAddr(), src.GetPhyAddr(), params, sig, value, operation, pe, here);      \
  }                                                                                         \
  static_assert(sizeof(TYPE) > 0, "")
#define ACLSHMEM_SIM_PUT_SIGNAL(NAME, TYPE)                       \
  ACLSHMEM_SIM_PUT_SIGNAL_AS(aclshmem_##NAME##_put_signal, TYPE); \
  ACLSHMEM_SIM_PUT_SIGNAL_AS(aclshmem_##NAME##_put_signal_nbi, TYPE)
ACLSHMEM_RMA_TYPE_FUNC(ACLSHMEM_SIM_PUT_SIGNAL);
ACLSHMEM_SIM_PUT_SIGNAL(half, half);
ACLSHMEM_SIM_PUT_SIGNAL(bfloat16, bfloat16_t);
#undef ACLSHMEM_SIM_PUT_SIGNAL
#undef ACLSHMEM_SIM_PUT_SIGNAL_AS

// Exists on the host too; the call's place in the source is added as a last argument.
ACLSHMEM_DEVICE int32_t aclshmem_signal_wait_until(__gm__ int32_t* word,
                                                   int comparison,
                                                   int32_t value,
                                                   ::shmem_sim::shmem::device::Here here) {
  ::shmem_sim::shmem::device::enter_if_kernel(here.in("aclshmem_signal_wait_until"));
  return aclshmem_signal_wait_until(word, comparison, value);
}
#ifndef SHMEM_SIM_IMPLEMENTATION
#define aclshmem_signal_wait_until(...) \
  aclshmem_signal_wait_until(__VA_ARGS__, ::shmem_sim::shmem::device::Here())
#endif
