#pragma once

#include "host/shmem_host_def.h"

// Host functions, and those that exist on both sides: such a function is one symbol that acts for
// the block that calls it, or for the host thread. Collective functions must be called by all PEs
// in the same order. Remote memory access from the host is enqueued on the library's default stream
// and not waited for; a host barrier orders it.

#ifdef __cplusplus
extern "C" {
#endif

// --- life ---
ACLSHMEM_HOST_API int aclshmemx_init_status(void);
ACLSHMEM_HOST_API int aclshmemx_get_uniqueid(aclshmemx_uniqueid_t* uid);
ACLSHMEM_HOST_API int aclshmemx_set_attr_uniqueid_args(int my_pe,
                                                       int n_pes,
                                                       int64_t local_mem_size,
                                                       aclshmemx_uniqueid_t* uid,
                                                       aclshmemx_init_attr_t* attr);
ACLSHMEM_HOST_API int aclshmemx_init_attr(aclshmemx_bootstrap_t flags,
                                          aclshmemx_init_attr_t* attr);  // collective
ACLSHMEM_HOST_API int aclshmem_finalize(void);                           // collective
ACLSHMEM_HOST_API void aclshmem_info_get_version(int* major, int* minor);
ACLSHMEM_HOST_API void aclshmem_info_get_name(char* name);
ACLSHMEM_HOST_API int32_t aclshmemx_set_config_store_tls_key(const char* key,
                                                             const uint32_t key_bytes,
                                                             const char* word,
                                                             const uint32_t word_bytes,
                                                             const aclshmem_decrypt_handler);
ACLSHMEM_HOST_API int32_t aclshmemx_set_conf_store_tls(bool enable,
                                                       const char* info,
                                                       const uint32_t bytes);
ACLSHMEM_HOST_API void aclshmem_global_exit(int status);
ACLSHMEM_HOST_API int32_t aclshmemx_set_extern_logger(void (*logger)(int level,
                                                                     const char* message));
ACLSHMEM_HOST_API int32_t aclshmemx_set_log_level(int level);
ACLSHMEM_HOST_API void aclshmemx_show_prof(void);
ACLSHMEM_HOST_API void aclshmemx_get_prof(aclshmem_prof_pe_t** out, bool verbose);

// --- who ---
ACLSHMEM_HOST_API int aclshmem_my_pe(void);  // -1 before init
ACLSHMEM_HOST_API int aclshmem_n_pes(void);  // -1 before init
ACLSHMEM_HOST_API int aclshmem_team_my_pe(aclshmem_team_t team);
ACLSHMEM_HOST_API int aclshmem_team_n_pes(aclshmem_team_t team);
ACLSHMEM_HOST_API int aclshmem_team_translate_pe(aclshmem_team_t source,
                                                 int source_pe,
                                                 aclshmem_team_t target);
ACLSHMEM_HOST_API int aclshmem_team_split_strided(
    aclshmem_team_t parent, int start, int stride, int size, aclshmem_team_t* team);
ACLSHMEM_HOST_API int aclshmem_team_split_2d(aclshmem_team_t parent,
                                             int x_range,
                                             aclshmem_team_t* x,
                                             aclshmem_team_t* y);
ACLSHMEM_HOST_API void aclshmem_team_destroy(aclshmem_team_t team);

// --- symmetric memory: collective, same sizes in the same order on all PEs ---
ACLSHMEM_HOST_API void* aclshmem_malloc(size_t bytes);
ACLSHMEM_HOST_API void* aclshmem_calloc(size_t count, size_t bytes);
ACLSHMEM_HOST_API void* aclshmem_align(size_t alignment, size_t bytes);
ACLSHMEM_HOST_API void aclshmem_free(void* pointer);
ACLSHMEM_HOST_API void* aclshmem_ptr(void* pointer, int pe);

// --- ordering ---
ACLSHMEM_HOST_API void aclshmem_barrier(aclshmem_team_t team);
ACLSHMEM_HOST_API void aclshmem_barrier_all(void);
ACLSHMEM_HOST_API void aclshmem_sync(aclshmem_team_t team);
ACLSHMEM_HOST_API void aclshmem_sync_all(void);
ACLSHMEM_HOST_API void aclshmemx_barrier_on_stream(aclshmem_team_t team, aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_barrier_all_on_stream(aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_quiet_on_stream(aclrtStream stream);
ACLSHMEM_HOST_API uint64_t util_get_ffts_config(void);
ACLSHMEM_HOST_API void aclshmemx_handle_wait(aclshmem_handle_t handle, aclrtStream stream);

// --- remote memory access ---
// The part of the unified buffer and the event id that kernels' transfers without a buffer of their
// own use.
ACLSHMEM_HOST_API int aclshmemx_set_mte_config(uint64_t offset, uint32_t ub_size, uint32_t sync_id);
ACLSHMEM_HOST_API void aclshmem_putmem(void* destination, void* source, size_t bytes, int32_t pe);
ACLSHMEM_HOST_API void aclshmem_getmem(void* destination, void* source, size_t bytes, int32_t pe);
ACLSHMEM_HOST_API void aclshmem_putmem_nbi(void* destination,
                                           void* source,
                                           size_t bytes,
                                           int32_t pe);
ACLSHMEM_HOST_API void aclshmem_getmem_nbi(void* destination,
                                           void* source,
                                           size_t bytes,
                                           int32_t pe);
ACLSHMEM_HOST_API void aclshmemx_putmem_on_stream(
    void* dst, void* src, size_t bytes, int32_t pe, aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_getmem_on_stream(
    void* dst, void* src, size_t bytes, int32_t pe, aclrtStream stream);

#define ACLSHMEM_SIM_RMA(NAME, TYPE)                                                       \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put(                                            \
      TYPE* destination, TYPE* source, size_t elements, int pe);                           \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_get(                                            \
      TYPE* destination, TYPE* source, size_t elements, int pe);                           \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put_nbi(                                        \
      TYPE* destination, TYPE* source, size_t elements, int pe);                           \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_get_nbi(                                        \
      TYPE* destination, TYPE* source, size_t elements, int pe);                           \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_iput(TYPE* destination,                         \
                                                TYPE* source,                              \
                                                ptrdiff_t destination_stride,              \
                                                ptrdiff_t source_stride,                   \
                                                size_t elements,                           \
                                                int pe);                                   \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_iget(TYPE* destination,                         \
                                                TYPE* source,                              \
                                                ptrdiff_t destination_stride,              \
                                                ptrdiff_t source_stride,                   \
                                                size_t elements,                           \
                                                int pe);                                   \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_p(TYPE* destination, const TYPE value, int pe); \
  ACLSHMEM_HOST_API TYPE aclshmem_##NAME##_g(TYPE* source, int32_t pe)
ACLSHMEM_RMA_TYPE_FUNC(ACLSHMEM_SIM_RMA);
#undef ACLSHMEM_SIM_RMA

#define ACLSHMEM_SIM_SIZED(BITS)                                       \
  ACLSHMEM_HOST_API void aclshmem_put##BITS(                           \
      void* destination, void* source, uint32_t elements, int32_t pe); \
  ACLSHMEM_HOST_API void aclshmem_get##BITS(                           \
      void* destination, void* source, uint32_t elements, int32_t pe); \
  ACLSHMEM_HOST_API void aclshmem_put##BITS##_nbi(                     \
      void* destination, void* source, uint32_t elements, int32_t pe); \
  ACLSHMEM_HOST_API void aclshmem_get##BITS##_nbi(                     \
      void* destination, void* source, uint32_t elements, int32_t pe)
ACLSHMEM_SIZE_FUNC(ACLSHMEM_SIM_SIZED);
#undef ACLSHMEM_SIM_SIZED

// --- signals and waiting ---
ACLSHMEM_HOST_API void aclshmemx_putmem_signal(void* destination,
                                               void* source,
                                               size_t bytes,
                                               void* signal,
                                               int32_t value,
                                               int operation,
                                               int pe);
ACLSHMEM_HOST_API void aclshmemx_putmem_signal_nbi(void* destination,
                                                   void* source,
                                                   size_t bytes,
                                                   void* signal,
                                                   int32_t value,
                                                   int operation,
                                                   int pe);
ACLSHMEM_HOST_API void aclshmemx_signal_op_on_stream(
    int32_t* signal, int32_t value, int operation, int pe, aclrtStream stream);
ACLSHMEM_HOST_API int32_t aclshmem_signal_wait_until(int32_t* signal,
                                                     int comparison,
                                                     int32_t value);
ACLSHMEM_HOST_API void aclshmemx_signal_wait_until_on_stream(int32_t* signal,
                                                             int comparison,
                                                             int32_t value,
                                                             aclrtStream stream);

#define ACLSHMEM_SIM_WAIT(NAME, TYPE)                                                          \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_wait_until(TYPE* word, int comparison, TYPE value); \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_wait(TYPE* word, TYPE value);                       \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_wait_until_all(                                     \
      TYPE* words, size_t count, const int* status, int comparison, TYPE value)
ACLSHMEM_P2P_SYNC_TYPE_FUNC(ACLSHMEM_SIM_WAIT);
#undef ACLSHMEM_SIM_WAIT

#ifdef __cplusplus
}

ACLSHMEM_HOST_API int aclshmemx_finalize(uint64_t instance_id);
#endif

// Older names.
#define shmem_init_status aclshmemx_init_status
#define shmem_get_uniqueid aclshmemx_get_uniqueid
#define shmem_set_attr_uniqueid_args aclshmemx_set_attr_uniqueid_args
#define shmem_init_attr aclshmemx_init_attr
#define shmem_finalize aclshmem_finalize
#define shmem_set_conf_store_tls aclshmemx_set_conf_store_tls
#define shmem_my_pe aclshmem_my_pe
#define shmem_n_pes aclshmem_n_pes
#define shmem_malloc aclshmem_malloc
#define shmem_calloc aclshmem_calloc
#define shmem_align aclshmem_align
#define shmem_free aclshmem_free
#define shmem_ptr aclshmem_ptr
#define shmem_barrier aclshmem_barrier
#define shmem_barrier_all aclshmem_barrier_all
#define shmem_putmem aclshmem_putmem
#define shmem_getmem aclshmem_getmem
#define shmem_signal_wait_until aclshmem_signal_wait_until
#define shmemx_get_ffts_config util_get_ffts_config
