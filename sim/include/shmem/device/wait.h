#pragma once

// Waiting for words and looking at them. A comparison outside ACLSHMEM_CMP_EQ to _LE counts as
// fulfilled, as in the public library. status[i] != 0 takes word i out; a null status takes out
// none.

#include "device/runtime.h"

namespace shmem_sim::shmem {

template <typename T>
bool compare(int comparison, T left, T right) {
  switch (comparison) {
    case ACLSHMEM_CMP_EQ:
      return left == right;
    case ACLSHMEM_CMP_NE:
      return left != right;
    case ACLSHMEM_CMP_GT:
      return left > right;
    case ACLSHMEM_CMP_GE:
      return left >= right;
    case ACLSHMEM_CMP_LT:
      return left < right;
    case ACLSHMEM_CMP_LE:
      return left <= right;
    default:
      return true;
  }
}

template <typename T>
T load(const T* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

template <>
__inline__ float load(const float* word) {
  return float_from_bits(
      __atomic_load_n(reinterpret_cast<const uint32_t*>(word), __ATOMIC_ACQUIRE));
}

namespace device {

template <typename T>
bool word_holds(int comparison, const void* word, const void* value) {
  return compare(comparison, load(static_cast<const T*>(word)), *static_cast<const T*>(value));
}

template <typename T>
Words words_of(const T* words, size_t count, const int* status, int comparison, const T& value) {
  return {words, count, sizeof(T), status, &value, 0, &word_holds<T>, comparison};
}

template <typename T>
Words words_of(const T* words, size_t count, const int* status, int comparison, const T* values) {
  return {words, count, sizeof(T), status, values, sizeof(T), &word_holds<T>, comparison};
}

}  // namespace device
}  // namespace shmem_sim::shmem

#define ACLSHMEM_SIM_WAIT_SET(NAME, TYPE, SUFFIX, VALUE)                                     \
  ACLSHMEM_DEVICE size_t aclshmem_##NAME##_wait_until_any##SUFFIX(                           \
      __gm__ TYPE* words,                                                                    \
      size_t count,                                                                          \
      const int* status,                                                                     \
      int comparison,                                                                        \
      VALUE value,                                                                           \
      ::shmem_sim::shmem::device::Here here = {}) {                                          \
    return ::shmem_sim::shmem::device::wait_any(                                             \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, value), \
        here.in("aclshmem_" #NAME "_wait_until_any" #SUFFIX));                               \
  }                                                                                          \
  ACLSHMEM_DEVICE size_t aclshmem_##NAME##_wait_until_some##SUFFIX(                          \
      __gm__ TYPE* words,                                                                    \
      size_t count,                                                                          \
      size_t* indices,                                                                       \
      const int* status,                                                                     \
      int comparison,                                                                        \
      VALUE value,                                                                           \
      ::shmem_sim::shmem::device::Here here = {}) {                                          \
    return ::shmem_sim::shmem::device::wait_some(                                            \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, value), \
        indices,                                                                             \
        here.in("aclshmem_" #NAME "_wait_until_some" #SUFFIX));                              \
  }                                                                                          \
  ACLSHMEM_DEVICE size_t aclshmem_##NAME##_test_any##SUFFIX(                                 \
      __gm__ TYPE* words,                                                                    \
      size_t count,                                                                          \
      const int* status,                                                                     \
      int comparison,                                                                        \
      VALUE value,                                                                           \
      ::shmem_sim::shmem::device::Here here = {}) {                                          \
    return ::shmem_sim::shmem::device::test_any(                                             \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, value), \
        here.in("aclshmem_" #NAME "_test_any" #SUFFIX));                                     \
  }                                                                                          \
  ACLSHMEM_DEVICE size_t aclshmem_##NAME##_test_some##SUFFIX(                                \
      __gm__ TYPE* words,                                                                    \
      size_t count,                                                                          \
      size_t* indices,                                                                       \
      const int* status,                                                                     \
      int comparison,                                                                        \
      VALUE value,                                                                           \
      ::shmem_sim::shmem::device::Here here = {}) {                                          \
    return ::shmem_sim::shmem::device::test_some(                                            \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, value), \
        indices,                                                                             \
        here.in("aclshmem_" #NAME "_test_some" #SUFFIX));                                    \
  }                                                                                          \
  static_assert(sizeof(TYPE) > 0, "")

#define ACLSHMEM_SIM_WAIT(NAME, TYPE)                                                              \
  ACLSHMEM_SIM_WAIT_SET(NAME, TYPE, , TYPE);                                                       \
  ACLSHMEM_SIM_WAIT_SET(NAME, TYPE, _vector, __gm__ TYPE*);                                        \
  ACLSHMEM_DEVICE void aclshmem_##NAME##_wait_until_all_vector(                                    \
      __gm__ TYPE* words,                                                                          \
      size_t count,                                                                                \
      const int* status,                                                                           \
      int comparison,                                                                              \
      __gm__ TYPE* values,                                                                         \
      ::shmem_sim::shmem::device::Here here = {}) {                                                \
    ::shmem_sim::shmem::device::wait_all(                                                          \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, values),      \
        here.in("aclshmem_" #NAME "_wait_until_all_vector"));                                      \
  }                                                                                                \
  ACLSHMEM_DEVICE int aclshmem_##NAME##_test_all_vector(                                           \
      __gm__ TYPE* words,                                                                          \
      size_t count,                                                                                \
      const int* status,                                                                           \
      int comparison,                                                                              \
      __gm__ TYPE* values,                                                                         \
      ::shmem_sim::shmem::device::Here here = {}) {                                                \
    return ::shmem_sim::shmem::device::test_all(                                                   \
        ::shmem_sim::shmem::device::words_of<TYPE>(words, count, status, comparison, values),      \
        here.in("aclshmem_" #NAME "_test_all_vector"));                                            \
  }                                                                                                \
  ACLSHMEM_DEVICE int aclshmem_##NAME##_test(                                                      \
      __gm__ TYPE* word, int comparison, TYPE value, ::shmem_sim::shmem::device::Here here = {}) { \
    return ::shmem_sim::shmem::device::test_all(                                                   \
        ::shmem_sim::shmem::device::words_of<TYPE>(word, 1, nullptr, comparison, value),           \
        here.in("aclshmem_" #NAME "_test"));                                                       \
  }                                                                                                \
  static_assert(sizeof(TYPE) > 0, "")
ACLSHMEM_P2P_SYNC_TYPE_FUNC(ACLSHMEM_SIM_WAIT);
#undef ACLSHMEM_SIM_WAIT
#undef ACLSHMEM_SIM_WAIT_SET

// Exist on the host too; the call's place in the source is added as a last argument.
ACLSHMEM_DEVICE void aclshmem_int32_wait_until(__gm__ int32_t* word,
                                               int comparison,
                                               int32_t value,
                                               ::shmem_sim::shmem::device::Here here) {
  ::shmem_sim::shmem::device::enter_if_kernel(here.in("aclshmem_int32_wait_until"));
  aclshmem_int32_wait_until(word, comparison, value);
}
ACLSHMEM_DEVICE void aclshmem_int64_wait_until(__gm__ int64_t* word,
                                               int comparison,
                                               int64_t value,
                                               ::shmem_sim::shmem::device::Here here) {
  ::shmem_sim::shmem::device::enter_if_kernel(here.in("aclshmem_int64_wait_until"));
  aclshmem_int64_wait_until(word, comparison, value);
}
#ifndef SHMEM_SIM_IMPLEMENTATION
#define aclshmem_int32_wait_until(...) \
  aclshmem_int32_wait_until(__VA_ARGS__, ::shmem_sim::shmem::device::Here())
#define aclshmem_int64_wait_until(...) \
  aclshmem_int64_wait_until(__VA_ARGS__, ::shmem_sim::shmem::device::Here())
#endif
