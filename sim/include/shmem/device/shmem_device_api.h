#pragma once

#include "host/shmem_host_api.h"
#include "kernel_operator.h"

// What only kernels call. A transfer's unified-buffer side is recognised by its address, because the qualifiers of the
// kernel language do not take part in overloading here. Counts are elements, strides elements, buffers bytes.

struct non_contiguous_copy_param {
  uint32_t repeat;
  uint32_t length;
  uint32_t src_ld;
  uint32_t dst_ld;
};

namespace shmem_sim::shmem::device {

// Copies between local memory and the same place on `pe`, through `ub`. Returns when issued; see the ordering table in
// docs/simulator.md.
void put(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t ub_bytes, int pe, int event, const char* call);
void get(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t ub_bytes, int pe, int event, const char* call);

struct Rows {
  uint64_t count;
  uint64_t bytes;
  uint64_t source_stride;       // bytes
  uint64_t destination_stride;  // bytes
};
void put_rows(void* destination, const void* source, const Rows& rows, void* ub, uint64_t ub_bytes, int pe, int event, const char* call);
void get_rows(void* destination, const void* source, const Rows& rows, void* ub, uint64_t ub_bytes, int pe, int event, const char* call);

// Without a buffer of the caller's: a unified-buffer address on one side is one transfer, otherwise the window that
// aclshmemx_set_mte_config names is used.
void put_direct(void* destination, const void* source, uint64_t bytes, int pe, const char* call);
void get_direct(void* destination, const void* source, uint64_t bytes, int pe, const char* call);

void signal(int32_t* word, int32_t value, int operation, int pe);
void quiet(const char* call);
void barrier(const char* call);
void set_window(uint64_t offset, uint32_t bytes, uint32_t event);

}  // namespace shmem_sim::shmem::device

ACLSHMEM_DEVICE void util_set_ffts_config(uint64_t) {}
#define shmemx_set_ffts_config util_set_ffts_config

ACLSHMEM_DEVICE void aclshmem_quiet() { ::shmem_sim::shmem::device::quiet("aclshmem_quiet"); }
ACLSHMEM_DEVICE void aclshmem_fence() { ::shmem_sim::shmem::device::quiet("aclshmem_fence"); }
ACLSHMEM_DEVICE void aclshmemx_mte_quiet() { ::shmem_sim::shmem::device::quiet("aclshmemx_mte_quiet"); }
ACLSHMEM_DEVICE void aclshmemx_barrier_vec(aclshmem_team_t) {
  ::shmem_sim::shmem::device::barrier("aclshmemx_barrier_vec");
}
ACLSHMEM_DEVICE void aclshmemx_barrier_all_vec() { ::shmem_sim::shmem::device::barrier("aclshmemx_barrier_all_vec"); }
#define shmemx_barrier_all_vec aclshmemx_barrier_all_vec
#define shmem_quiet aclshmem_quiet
#define shmem_fence aclshmem_fence

ACLSHMEM_DEVICE void aclshmemx_signal_op(__gm__ int32_t* word, int32_t value, int operation, int pe) {
  ::shmem_sim::shmem::device::signal(word, value, operation, pe);
}
#define shmemx_signal_op aclshmemx_signal_op

ACLSHMEM_DEVICE void aclshmemx_set_mte_config(uint64_t offset, uint32_t ub_size, uint32_t sync_id) {
  ::shmem_sim::shmem::device::set_window(offset, ub_size, sync_id);
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_put_nbi(
    __gm__ T* dst, __gm__ T* src, __ubuf__ T* buf, uint32_t ub_size, uint32_t elem_size, int pe, uint32_t sync_id) {
  ::shmem_sim::shmem::device::put(dst, src, uint64_t{elem_size} * sizeof(T), buf, ub_size / sizeof(T) * sizeof(T), pe,
                                  static_cast<int>(sync_id), "aclshmemx_mte_put_nbi");
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_get_nbi(
    __gm__ T* dst, __gm__ T* src, __ubuf__ T* buf, uint32_t ub_size, uint32_t elem_size, int pe, uint32_t sync_id) {
  ::shmem_sim::shmem::device::get(dst, src, uint64_t{elem_size} * sizeof(T), buf, ub_size / sizeof(T) * sizeof(T), pe,
                                  static_cast<int>(sync_id), "aclshmemx_mte_get_nbi");
}

namespace shmem_sim::shmem::device {

template <typename T>
Rows rows_of(const non_contiguous_copy_param& p) {
  return {p.repeat, uint64_t{p.length} * sizeof(T), uint64_t{p.src_ld} * sizeof(T), uint64_t{p.dst_ld} * sizeof(T)};
}

}  // namespace shmem_sim::shmem::device

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_put_nbi(__gm__ T* dst,
                                           __gm__ T* src,
                                           __ubuf__ T* buf,
                                           uint32_t ub_size,
                                           const non_contiguous_copy_param& params,
                                           int pe,
                                           uint32_t sync_id) {
  ::shmem_sim::shmem::device::put_rows(dst, src, ::shmem_sim::shmem::device::rows_of<T>(params), buf, ub_size, pe,
                                       static_cast<int>(sync_id), "aclshmemx_mte_put_nbi");
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_get_nbi(__gm__ T* dst,
                                           __gm__ T* src,
                                           __ubuf__ T* buf,
                                           uint32_t ub_size,
                                           const non_contiguous_copy_param& params,
                                           int pe,
                                           uint32_t sync_id) {
  ::shmem_sim::shmem::device::get_rows(dst, src, ::shmem_sim::shmem::device::rows_of<T>(params), buf, ub_size, pe,
                                       static_cast<int>(sync_id), "aclshmemx_mte_get_nbi");
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_put_nbi(AscendC::GlobalTensor<T> dst,
                                           AscendC::GlobalTensor<T> src,
                                           AscendC::LocalTensor<T> buf,
                                           uint32_t elem_size,
                                           int pe,
                                           uint32_t sync_id) {
  aclshmemx_mte_put_nbi(dst.GetPhyAddr(), src.GetPhyAddr(), buf.GetPhyAddr(), buf.address_.dataLen, elem_size, pe, sync_id);
}

template <typename T>
ACLSHMEM_DEVICE void aclshmemx_mte_get_nbi(AscendC::GlobalTensor<T> dst,
                                           AscendC::GlobalTensor<T> src,
                                           AscendC::LocalTensor<T> buf,
                                           uint32_t elem_size,
                                           int pe,
                                           uint32_t sync_id) {
  aclshmemx_mte_get_nbi(dst.GetPhyAddr(), src.GetPhyAddr(), buf.GetPhyAddr(), buf.address_.dataLen, elem_size, pe, sync_id);
}

// The 16-bit types exist only in kernels.
#define ACLSHMEM_SIM_DEVICE_RMA(NAME, TYPE)                                                                           \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put_nbi(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements, int pe) {       \
    ::shmem_sim::shmem::device::put_direct(dst, src, elements * sizeof(TYPE), pe, "aclshmem_" #NAME "_put_nbi");      \
  }                                                                                                                   \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_get_nbi(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements, int pe) {       \
    ::shmem_sim::shmem::device::get_direct(dst, src, elements * sizeof(TYPE), pe, "aclshmem_" #NAME "_get_nbi");      \
  }                                                                                                                   \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements, int pe) {           \
    aclshmem_##NAME##_put_nbi(dst, src, elements, pe);                                                                \
    aclshmem_quiet();                                                                                                 \
  }                                                                                                                   \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_get(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements, int pe) {           \
    aclshmem_##NAME##_get_nbi(dst, src, elements, pe);                                                                \
    aclshmem_quiet();                                                                                                 \
  }
ACLSHMEM_SIM_DEVICE_RMA(half, half)
ACLSHMEM_SIM_DEVICE_RMA(bfloat16, bfloat16_t)
#undef ACLSHMEM_SIM_DEVICE_RMA

ACLSHMEM_DEVICE void aclshmem_putmem_signal(
    __gm__ void* dst, __gm__ void* src, size_t bytes, __gm__ int32_t* sig, int32_t value, int operation, int pe) {
  ::shmem_sim::shmem::device::put_direct(dst, src, bytes, pe, "aclshmem_putmem_signal");
  aclshmem_quiet();
  aclshmemx_signal_op(sig, value, operation, pe);
}

ACLSHMEM_DEVICE void aclshmem_putmem_signal_nbi(
    __gm__ void* dst, __gm__ void* src, size_t bytes, __gm__ int32_t* sig, int32_t value, int operation, int pe) {
  aclshmem_putmem_signal(dst, src, bytes, sig, value, operation, pe);
}

#define ACLSHMEM_SIM_PUT_SIGNAL(NAME, TYPE)                                                                           \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put_signal(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements,              \
                                                    __gm__ int32_t* sig, int32_t value, int operation, int pe) {      \
    aclshmem_putmem_signal(dst, src, elements * sizeof(TYPE), sig, value, operation, pe);                             \
  }                                                                                                                   \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_put_signal_nbi(__gm__ TYPE* dst, __gm__ TYPE* src, size_t elements,          \
                                                        __gm__ int32_t* sig, int32_t value, int operation, int pe) {  \
    aclshmem_putmem_signal(dst, src, elements * sizeof(TYPE), sig, value, operation, pe);                             \
  }                                                                                                                   \
  static_assert(sizeof(TYPE) > 0, "")
ACLSHMEM_RMA_TYPE_FUNC(ACLSHMEM_SIM_PUT_SIGNAL);
ACLSHMEM_SIM_PUT_SIGNAL(half, half);
ACLSHMEM_SIM_PUT_SIGNAL(bfloat16, bfloat16_t);
#undef ACLSHMEM_SIM_PUT_SIGNAL

#define ACLSHMEM_SIM_TEST(NAME, TYPE)                                                              \
  ACLSHMEM_DEVICE int aclshmem_##NAME##_test(__gm__ TYPE* word, int comparison, TYPE value) {      \
    return ::shmem_sim::shmem::compare(comparison, ::shmem_sim::shmem::load(word), value) ? 1 : 0; \
  }                                                                                                \
  static_assert(sizeof(TYPE) > 0, "")

namespace shmem_sim::shmem {

// True for comparisons outside 0..5, as the public device functions return at once on them.
template <typename T>
bool compare(int comparison, T left, T right) {
  switch (comparison) {
    case ACLSHMEM_CMP_EQ: return left == right;
    case ACLSHMEM_CMP_NE: return left != right;
    case ACLSHMEM_CMP_GT: return left > right;
    case ACLSHMEM_CMP_GE: return left >= right;
    case ACLSHMEM_CMP_LT: return left < right;
    case ACLSHMEM_CMP_LE: return left <= right;
    default: return true;
  }
}

template <typename T>
T load(const T* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

inline float load(const float* word) {
  return float_from_bits(__atomic_load_n(reinterpret_cast<const uint32_t*>(word), __ATOMIC_ACQUIRE));
}

}  // namespace shmem_sim::shmem

ACLSHMEM_P2P_SYNC_TYPE_FUNC(ACLSHMEM_SIM_TEST);
#undef ACLSHMEM_SIM_TEST
