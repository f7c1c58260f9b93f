#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_rt.h"
#include "host_device/shmem_common_macros.h"

// Constants, enumerations and qualifiers that host and device code share. Values: the public
// interface.

#define ACLSHMEM_GLOBAL __global__ __aicore__
#define ACLSHMEM_GLOBAL_VECTOR [[bisheng::core_ratio(0, 1)]] __global__ __aicore__
#define ACLSHMEM_DEVICE __attribute__((always_inline)) __aicore__ __inline__

// FUNC(NAME, TYPE) for the types of remote memory access, and of waiting and testing.
#define ACLSHMEM_RMA_TYPE_FUNC(FUNC) \
  FUNC(float, float);                \
  FUNC(double, double);              \
  FUNC(int8, int8_t);                \
  FUNC(int16, int16_t);              \
  FUNC(int32, int32_t);              \
  FUNC(int64, int64_t);              \
  FUNC(uint8, uint8_t);              \
  FUNC(uint16, uint16_t);            \
  FUNC(uint32, uint32_t);            \
  FUNC(uint64, uint64_t);            \
  FUNC(char, char)

#define ACLSHMEM_P2P_SYNC_TYPE_FUNC(FUNC) \
  FUNC(float, float);                     \
  FUNC(int8, int8_t);                     \
  FUNC(int16, int16_t);                   \
  FUNC(int32, int32_t);                   \
  FUNC(int64, int64_t);                   \
  FUNC(uint8, uint8_t);                   \
  FUNC(uint16, uint16_t);                 \
  FUNC(uint32, uint32_t);                 \
  FUNC(uint64, uint64_t);                 \
  FUNC(char, char)

#define ACLSHMEM_MAJOR_VERSION 1
#define ACLSHMEM_MINOR_VERSION 1
#define ACLSHMEM_MAX_NAME_LEN 256
#define ACLSHMEM_MAX_IP_PORT_LEN 64
#define ACLSHMEM_UNIQUE_ID_INNER_LEN 124
#define DEFAULT_TIMEOUT 120
#define ACLSHMEM_MAX_PES 16384
#define ACLSHMEM_MAX_TEAMS 2048
#define ACLSHMEM_MAX_LOCAL_SIZE (40ULL * 1024 * 1024 * 1024)
#define ACLSHMEM_PAGE_SIZE (2ULL * 1024 * 1024)
#define ACLSHMEM_HEAP_ALIGNMENT_SIZE (1ULL * 1024 * 1024 * 1024)
#define ACLSHMEM_SIGNAL_SIZE 8
#define SCALAR_DATA_CACHELINE_SIZE 64
#define L2_CACHELINE_SIZE 512
#define ACLSHMEM_EXTRA_SIZE (6ULL * 1024 * 1024)
#define ACLSHMEM_MAX_AIV_PER_NPU 48

enum aclshmem_error_code_t : int {
  ACLSHMEM_SUCCESS = 0,
  ACLSHMEM_INVALID_PARAM = -1,
  ACLSHMEM_INVALID_VALUE = -2,
  ACLSHMEM_SMEM_ERROR = -3,
  ACLSHMEM_INNER_ERROR = -4,
  ACLSHMEM_NOT_INITED = -5,
  ACLSHMEM_BOOTSTRAP_ERROR = -6,
  ACLSHMEM_TIMEOUT_ERROR = -7,
  ACLSHMEM_MALLOC_FAILED = -8,
  ACLSHMEM_DL_FUNC_FAILED = -9,
  ACLSHMEM_INNER_TIMEOUT = -10,
  ACLSHMEM_UNDER_API_UNLOAD = -11,
  ACLSHMEM_NOT_SUPPORTED = -100,
};

enum aclshmem_team_index_t { ACLSHMEM_TEAM_INVALID = -1, ACLSHMEM_TEAM_WORLD = 0 };

enum data_op_engine_type_t {
  ACLSHMEM_DATA_OP_MTE = 0x01,
  ACLSHMEM_DATA_OP_SDMA = 0x02,
  ACLSHMEM_DATA_OP_ROCE = 0x04,
  ACLSHMEM_DATA_OP_UDMA = 0x08,
  ACLSHMEM_DATA_OP_MAX = 0x08,
};

enum aclshmem_mem_type_t { HOST_SIDE = 0, DEVICE_SIDE };
enum aclshmem_signal_op_type_t { ACLSHMEM_SIGNAL_SET, ACLSHMEM_SIGNAL_ADD };
enum aclshmem_cmp_op_type_t {
  ACLSHMEM_CMP_EQ = 0,
  ACLSHMEM_CMP_NE,
  ACLSHMEM_CMP_GT,
  ACLSHMEM_CMP_GE,
  ACLSHMEM_CMP_LT,
  ACLSHMEM_CMP_LE
};
enum aclshmem_block_mode_t { NO_NBI = 0, NBI };

typedef int aclshmem_team_t;

typedef struct {
  aclshmem_team_t team_id;
} aclshmem_handle_t;
