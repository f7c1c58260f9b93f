#pragma once

#include <cstddef>
#include <cstdint>

#include "host_device/shmem_common_types.h"

#define ACLSHMEM_HOST_API __attribute__((visibility("default")))

enum aclshmemx_bootstrap_t : unsigned {
  ACLSHMEMX_INIT_WITH_DEFAULT = 1U << 0,  // ip_port, else the unique id in comm_args
  ACLSHMEMX_INIT_WITH_MPI = 1U << 1,      // not modelled
  ACLSHMEMX_INIT_WITH_UNIQUEID = 1U << 3,
  ACLSHMEMX_INIT_MAX = 1U << 31
};

enum aclshmemx_init_status_t : int {
  ACLSHMEM_STATUS_NOT_INITIALIZED = 0,
  ACLSHMEM_STATUS_SHM_CREATED,
  ACLSHMEM_STATUS_IS_INITIALIZED,
  ACLSHMEM_STATUS_INVALID = 2147483647
};

typedef struct {
  int version;
  data_op_engine_type_t data_op_engine_type;
  uint32_t shm_init_timeout;           // seconds
  uint32_t shm_create_timeout;         // seconds
  uint32_t control_operation_timeout;  // seconds
  int32_t sockFd;
} aclshmem_init_optional_attr_t;

typedef struct aclshmemx_init_attr_t {
  int my_pe;
  int n_pes;
  char ip_port[ACLSHMEM_MAX_IP_PORT_LEN] = {};
  uint64_t local_mem_size;
  aclshmem_init_optional_attr_t option_attr = {
      (1 << 16) + static_cast<int>(sizeof(aclshmem_init_optional_attr_t)),
      ACLSHMEM_DATA_OP_MTE,
      DEFAULT_TIMEOUT,
      DEFAULT_TIMEOUT,
      DEFAULT_TIMEOUT,
      0};
  void* comm_args = nullptr;
  uint64_t instance_id = 0;
} aclshmemx_init_attr_t;

typedef struct {
  int32_t version;
  int my_pe;
  int n_pes;
  char internal[ACLSHMEM_UNIQUE_ID_INNER_LEN];
} aclshmemx_uniqueid_t;

constexpr int32_t ACLSHMEM_UNIQUEID_VERSION =
    (1 << 16) + static_cast<int32_t>(sizeof(aclshmemx_uniqueid_t));
#define ACLSHMEM_UNIQUEID_INITIALIZER \
  {                                   \
    ACLSHMEM_UNIQUEID_VERSION, {      \
      0                               \
    }                                 \
  }

typedef int (*aclshmem_decrypt_handler)(const char* cipher,
                                        size_t cipher_bytes,
                                        char* plain,
                                        size_t& plain_bytes);

typedef struct {
  int32_t version;
  int32_t num_contexts;
  uint64_t uniqueid;
  char padding[48];
} aclshmem_team_config_t;

typedef struct aclshmem_instance_ctx {
  uint64_t id;
  void* instance;
} aclshmem_instance_ctx;

#define ACLSHMEM_CYCLE_PROF_MAX_BLOCK 64
#define ACLSHMEM_CYCLE_PROF_FRAME_CNT 1024

typedef struct {
  int64_t ccount[ACLSHMEM_CYCLE_PROF_FRAME_CNT];
  int64_t cycles[ACLSHMEM_CYCLE_PROF_FRAME_CNT];
} aclshmem_prof_block_t;

typedef struct {
  int32_t pe_id;
  aclshmem_prof_block_t block_prof[ACLSHMEM_CYCLE_PROF_MAX_BLOCK];
} aclshmem_prof_pe_t;

#define shmem_init_optional_attr_t aclshmem_init_optional_attr_t
#define shmem_init_attr_t aclshmemx_init_attr_t
#define shmem_uniqueid_t aclshmemx_uniqueid_t
