#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/memory.h"

// What is told about a device. The numbers are those of an Ascend 910B1, on both profiles.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

constexpr int64_t kCubeCores = 24;
constexpr int64_t kVectorCores = 48;
constexpr int64_t kL2Bytes = int64_t{192} << 20;
constexpr int64_t kUnifiedBufferBytes = int64_t{192} << 10;

aclError core_limit(aclrtDevResLimitType type, uint32_t* value, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_place(value, call));
  switch (type) {
    case ACL_RT_DEV_RES_CUBE_CORE:
      *value = kCubeCores;
      return ACL_SUCCESS;
    case ACL_RT_DEV_RES_VECTOR_CORE:
      *value = kVectorCores;
      return ACL_SUCCESS;
    default:
      return fail(ACL_ERROR_RT_PARAM_INVALID,
                  call,
                  fmt::format("resource {} is not known", static_cast<int>(type)));
  }
}

}  // namespace

extern "C" {

aclError aclGetDeviceCapability(uint32_t device, aclDeviceInfo info, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      *value = kCubeCores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = kVectorCores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = kL2Bytes;
      return ACL_SUCCESS;
    default:
      return fail(ACL_ERROR_INVALID_PARAM,
                  __func__,
                  fmt::format("device information {} is not known", static_cast<int>(info)));
  }
}

aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attribute, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  switch (attribute) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = kCubeCores;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = kVectorCores;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
      *value = kUnifiedBufferBytes;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = static_cast<int64_t>(device_bytes_total());
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = kL2Bytes;
      return ACL_SUCCESS;
    default:
      return fail(ACL_ERROR_INVALID_PARAM,
                  __func__,
                  fmt::format("device attribute {} is not known", static_cast<int>(attribute)));
  }
}

aclError aclrtDeviceGetUuid(int32_t device, aclrtUuid* uuid) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(uuid, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  std::memset(uuid, 0, sizeof *uuid);
  reinterpret_cast<unsigned char*>(uuid)[0] = static_cast<unsigned char>(device + 1);
  return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(pid, __func__));
  *pid = getpid();
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceResLimit(int32_t device, aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  return core_limit(type, value, __func__);
}

aclError aclrtGetStreamResLimit(aclrtStream handle, aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_stream(handle, __func__, &stream));
  return core_limit(type, value, __func__);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  return core_limit(type, value, __func__);
}

}  // extern "C"
