#pragma once

// Remote memory access. Pointer forms between global memory that exist on the host too are declared
// there. A transfer's unified-buffer side is recognised by its address, because the qualifiers of
// the language do not take part in overloading here.

#include "device/runtime.h"

struct non_contiguous_copy_param {
  uint32_t repeat;
  uint32_t length;
  uint32_t src_ld;
  uint32_t dst_ld;
};

namespace shmem_sim::shmem::device {

template <typename T>
Rows rows_of(const non_contiguous_copy_param& p) {
  return {p.repeat,
          uint64_t{p.length} * sizeof(T),
          uint64_t{p.src_ld} * sizeof(T),
          uint64_t{p.dst_ld} * sizeof(T)};
}

template <typename T>
void put_how_much(T* dst, const T* src, size_t elements, int pe, const Site& site) {
  put_direct(dst, src, elements * sizeof(T), pe, site);
}
template <typename T>
void put_how_much(
    T* dst, const T* src, const non_contiguous_copy_param& p, int pe, const Site& site) {
  put_rows_direct(dst, src, rows_of<T>(p), pe, site);
}
template <typename T>
void get_how_much(T* dst, const T* src, size_t elements, int pe, const Site& site) {
  get_direct(dst, src, elements * sizeof(T), pe, site);
}
template <typename T>
void get_how_much(
    T* dst, const T* src, const non_contiguous_copy_param& p, int pe, const Site& site) {
  get_rows_direct(dst, src, rows_of<T>(p), pe, site);
}

// Chunks hold whole elements.
template <typename T>
Window window_of(void* ub, uint32_t bytes, uint32_t event) {
  return {ub, bytes / sizeof(T) * sizeof(T), static_cast<int>(event)};
}

}  // namespace shmem_sim::shmem::device

// --- the MTE engine, with a window of the caller's ---

// DIRECTION is put or get. Three forms of operands: global memory through a window; one side in the
// unified buffer.
#define ACLSHMEM_SIM_MTE(DIRECTION)                                                              \
  template <typename T>                                                                          \
  ACLSHMEM_DEVICE void aclshmemx_mte_##DIRECTION##_nbi(                                          \
      __gm__ T* dst,                                                                             \
      __gm__ T* src,                                                                             \
      __ubuf__ T* buf,                                                                           \
      uint32_t ub_size,                                                                          \
      uint32_t elem_size,                                                                        \
      int pe,                                                                                    \
      uint32_t sync_id,                                                                          \
      ::shmem_sim::shmem::device::Here here = {}) {                                              \
    ::shmem_sim::shmem::device::DIRECTION(                                                       \
        dst,                                                                                     \
        src,                                                                                     \
        uint64_t{elem_size} * sizeof(T),                                                         \
        ::shmem_sim::shmem::device::window_of<T>(buf, ub_size, sync_id),                         \
        pe,                                                                                      \
        here.in("aclshmemx_mte_" #DIRECTION "_nbi"));                                            \
  }                                                                                              \
  template <typename T>                                                                          \
  ACLSHMEM_DEVICE void aclshmemx_mte_##DIRECTION##_nbi(                                          \
      __gm__ T* dst,                                                                             \
      __gm__ T* src,                                                                             \
      __ubuf__ T* buf,                                                                           \
      uint32_t ub_size,                                                                          \
      const non_contiguous_copy_param& params,                                                   \
      int pe,                                                                                    \
      uint32_t sync_id,                                                                          \
      ::shmem_sim::shmem::device::Here here = {}) {                                              \
    ::shmem_sim::shmem::device::DIRECTION##_rows(                                                \
        dst,                                                                                     \
        src,                                                                                     \
        ::shmem_sim::shmem::device::rows_of<T>(params),                                          \
        ::shmem_sim::shmem::device::window_of<T>(buf, ub_size, sync_id),                         \
        pe,                                                                                      \
        here.in("aclshmemx_mte_" #DIRECTION "_nbi"));                                            \
  }                                                                                              \
  template <typename T>                                                                          \
  ACLSHMEM_DEVICE void aclshmemx_mte_##DIRECTION##_nbi(                                          \
      AscendC::GlobalTensor<T> dst,                                                              \
      AscendC::GlobalTensor<T> src,                                                              \
      AscendC::LocalTensor<T> buf,                                                               \
      uint32_t elem_size,                                                                        \
      int pe,                                                                                    \
      uint32_t sync_id,                                                                          \
      ::shmem_sim::shmem::device::Here here = {}) {                                              \
    aclshmemx_mte_##DIRECTION##_nbi(dst.GetPhyAddr(),                                            \
                                    src.GetPhyAddr(),                                            \
                                    buf.GetPhyAddr(),                                            \
                                    buf.GetLength(),                                             \
                                    elem_size,                                                   \
                                    pe,                                                          \
                                    sync_id,                                                     \
                                    here);                                                       \
  }                                                                                              \
  template <typename T>                                                                          \
  ACLSHMEM_DEVICE void aclshmemx_mte_##DIRECTION##_nbi(                                          \
      AscendC::GlobalTensor<T> dst,                                                              \
      AscendC::GlobalTensor<T> src,                                                              \
      AscendC::LocalTensor<T> buf,                                                               \
      const non_contiguous_copy_param& params,                                                   \
      int pe,                                                                                    \
      uint32_t sync_id,                                                                          \
      ::shmem_sim::shmem::device::Here here = {}) {                                              \
    aclshmemx_mte_##DIRECTION##_nbi(dst.GetPhyAddr(),                                            \
                                    src.GetPhyAddr(),                                            \
                                    buf.GetPhyAddr(),                                            \
                                    buf.GetLength(),                                             \
                                    params,                                                      \
                                    pe,                                                          \
                                    sync_id,                                                     \
                                    here);                                                       \
  }                                                                                              \
  template <typename T>                                                                          \
  ACLSHMEM_DEVICE void aclshmemx_mte_##DIRECTION##_nbi(                                          \
      T* dst,                                                                                    \
      T* src,                                                                                    \
      uint32_t elem_size,                                                                        \
      int pe,                                                                                    \
      uint32_t /*sync_id*/,                                                                      \
      ::shmem_sim::shmem::device::Here here = {}) {                                              \
    ::shmem_sim::shmem::device::DIRECTION##_direct(dst,                                          \
                                                   src,                                          \
                                                   uint64_t{elem_size} * sizeof(T),              \
                                                   pe,                                           \
                                                   here.in("aclshmemx_mte_" #DIRECTION "_nbi")); \
  }                                                                                              \
  static_assert(true, "")
ACLSHMEM_SIM_MTE(put);
ACLSHMEM_SIM_MTE(get);
#undef ACLSHMEM_SIM_MTE

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_put_nbi(AscendC::GlobalTensor<T> dst,
                                           AscendC::LocalTensor<T> src,
                                           uint32_t elem_size,
                                           int pe,
                                           uint32_t sync_id,
                                           ::shmem_sim::shmem::device::Here here = {}) {
  aclshmemx_mte_put_nbi(dst.GetPhyAddr(), src.GetPhyAddr(), elem_size, pe, sync_id, here);
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_get_nbi(AscendC::LocalTensor<T> dst,
                                           AscendC::GlobalTensor<T> src,
                                           uint32_t elem_size,
                                           int pe,
                                           uint32_t sync_id,
                                           ::shmem_sim::shmem::device::Here here = {}) {
  aclshmemx_mte_get_nbi(dst.GetPhyAddr(), src.GetPhyAddr(), elem_size, pe, sync_id, here);
}

// --- typed forms that only kernels have: rows and tensors ---

// HOW_MUCH: elements or rows. Either side may be a LocalTensor.
#define ACLSHMEM_SIM_TENSORS(NAME, TYPE, HOW_MUCH)                                             \
  template <class Source>                                                                      \
  ACLSHMEM_DEVICE auto aclshmem_##NAME##_put_nbi(AscendC::GlobalTensor<TYPE> dst,              \
                                                 Source src,                                   \
                                                 HOW_MUCH count,                               \
                                                 int pe,                                       \
                                                 ::shmem_sim::shmem::device::Here here = {})   \
      ->decltype(static_cast<void>(src.GetPhyAddr())) {                                        \
    ::shmem_sim::shmem::device::put_how_much(                                                  \
        dst.GetPhyAddr(), src.GetPhyAddr(), count, pe, here.in("aclshmem_" #NAME "_put_nbi")); \
  }                                                                                            \
  template <class Destination>                                                                 \
  ACLSHMEM_DEVICE auto aclshmem_##NAME##_get_nbi(Destination dst,                              \
                                                 AscendC::GlobalTensor<TYPE> src,              \
                                                 HOW_MUCH count,                               \
                                                 int pe,                                       \
                                                 ::shmem_sim::shmem::device::Here here = {})   \
      ->decltype(static_cast<void>(dst.GetPhyAddr())) {                                        \
    ::shmem_sim::shmem::device::get_how_much(                                                  \
        dst.GetPhyAddr(), src.GetPhyAddr(), count, pe, here.in("aclshmem_" #NAME "_get_nbi")); \
  }                                                                                            \
  static_assert(sizeof(TYPE) > 0, "")

#define ACLSHMEM_SIM_TYPED(NAME, TYPE)                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put_nbi(__gm__ TYPE* dst,                                 \
                                                 TYPE* src,                                        \
                                                 const non_contiguous_copy_param& params,          \
                                                 int pe,                                           \
                                                 ::shmem_sim::shmem::device::Here here = {}) {     \
    ::shmem_sim::shmem::device::put_rows_direct(dst,                                               \
                                                src,                                               \
                                                ::shmem_sim::shmem::device::rows_of<TYPE>(params), \
                                                pe,                                                \
                                                here.in("aclshmem_" #NAME "_put_nbi"));            \
  }                                                                                                \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_get_nbi(TYPE* dst,                                        \
                                                 __gm__ TYPE* src,                                 \
                                                 const non_contiguous_copy_param& params,          \
                                                 int pe,                                           \
                                                 ::shmem_sim::shmem::device::Here here = {}) {     \
    ::shmem_sim::shmem::device::get_rows_direct(dst,                                               \
                                                src,                                               \
                                                ::shmem_sim::shmem::device::rows_of<TYPE>(params), \
                                                pe,                                                \
                                                here.in("aclshmem_" #NAME "_get_nbi"));            \
  }                                                                                                \
  ACLSHMEM_SIM_TENSORS(NAME, TYPE, size_t);                                                        \
  ACLSHMEM_SIM_TENSORS(NAME, TYPE, const non_contiguous_copy_param&);                              \
  static_assert(sizeof(TYPE) > 0, "")

// --- the 16-bit types exist only in kernels ---

#define ACLSHMEM_SIM_16_BIT(NAME, TYPE)                                                         \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put_nbi(__gm__ TYPE* dst,                              \
                                                 TYPE* src,                                     \
                                                 size_t elements,                               \
                                                 int pe,                                        \
                                                 ::shmem_sim::shmem::device::Here here = {}) {  \
    ::shmem_sim::shmem::device::put_direct(                                                     \
        dst, src, elements * sizeof(TYPE), pe, here.in("aclshmem_" #NAME "_put_nbi"));          \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_get_nbi(TYPE* dst,                                     \
                                                 __gm__ TYPE* src,                              \
                                                 size_t elements,                               \
                                                 int pe,                                        \
                                                 ::shmem_sim::shmem::device::Here here = {}) {  \
    ::shmem_sim::shmem::device::get_direct(                                                     \
        dst, src, elements * sizeof(TYPE), pe, here.in("aclshmem_" #NAME "_get_nbi"));          \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put(__gm__ TYPE* dst,                                  \
                                             __gm__ TYPE* src,                                  \
                                             size_t elements,                                   \
                                             int pe,                                            \
                                             ::shmem_sim::shmem::device::Here here = {}) {      \
    aclshmem_##NAME##_put_nbi(dst, src, elements, pe, here);                                    \
    ::shmem_sim::shmem::device::quiet(here.in("aclshmem_" #NAME "_put"));                       \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_get(__gm__ TYPE* dst,                                  \
                                             __gm__ TYPE* src,                                  \
                                             size_t elements,                                   \
                                             int pe,                                            \
                                             ::shmem_sim::shmem::device::Here here = {}) {      \
    aclshmem_##NAME##_get_nbi(dst, src, elements, pe, here);                                    \
    ::shmem_sim::shmem::device::quiet(here.in("aclshmem_" #NAME "_get"));                       \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_iput(__gm__ TYPE* dst,                                 \
                                              __gm__ TYPE* src,                                 \
                                              ptrdiff_t dst_stride,                             \
                                              ptrdiff_t src_stride,                             \
                                              size_t elements,                                  \
                                              int pe,                                           \
                                              ::shmem_sim::shmem::device::Here here = {}) {     \
    for (size_t i = 0; i < elements; ++i) {                                                     \
      aclshmem_##NAME##_put(dst + static_cast<ptrdiff_t>(i) * dst_stride,                       \
                            src + static_cast<ptrdiff_t>(i) * src_stride,                       \
                            1,                                                                  \
                            pe,                                                                 \
                            here);                                                              \
    }                                                                                           \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_iget(__gm__ TYPE* dst,                                 \
                                              __gm__ TYPE* src,                                 \
                                              ptrdiff_t dst_stride,                             \
                                              ptrdiff_t src_stride,                             \
                                              size_t elements,                                  \
                                              int pe,                                           \
                                              ::shmem_sim::shmem::device::Here here = {}) {     \
    for (size_t i = 0; i < elements; ++i) {                                                     \
      aclshmem_##NAME##_get(dst + static_cast<ptrdiff_t>(i) * dst_stride,                       \
                            src + static_cast<ptrdiff_t>(i) * src_stride,                       \
                            1,                                                                  \
                            pe,                                                                 \
                            here);                                                              \
    }                                                                                           \
  }                                                                                             \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_p(                                                     \
      __gm__ TYPE* dst, const TYPE value, int pe, ::shmem_sim::shmem::device::Here here = {}) { \
    ::shmem_sim::shmem::device::put_word(                                                       \
        dst, value.val, sizeof(TYPE), pe, here.in("aclshmem_" #NAME "_p"));                     \
  }                                                                                             \
  ACLSHMEM_DEVICE TYPE aclshmem_##NAME##_g(                                                     \
      __gm__ TYPE* src, int32_t pe, ::shmem_sim::shmem::device::Here here = {}) {               \
    TYPE value;                                                                                 \
    value.val = static_cast<uint16_t>(::shmem_sim::shmem::device::get_word(                     \
        src, sizeof(TYPE), pe, here.in("aclshmem_" #NAME "_g")));                               \
    return value;                                                                               \
  }                                                                                             \
  static_assert(sizeof(TYPE) == 2, "")

ACLSHMEM_SIM_16_BIT(half, half);
ACLSHMEM_SIM_16_BIT(bfloat16, bfloat16_t);
#undef ACLSHMEM_SIM_16_BIT
ACLSHMEM_RMA_TYPE_FUNC(ACLSHMEM_SIM_TYPED);
ACLSHMEM_SIM_TYPED(half, half);
ACLSHMEM_SIM_TYPED(bfloat16, bfloat16_t);
#undef ACLSHMEM_SIM_TYPED
#undef ACLSHMEM_SIM_TENSORS
