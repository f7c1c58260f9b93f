#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/config.h"
#include "sim/core/memory.h"

// Devices, contexts (one per device, its handle is the device number + 1) and what is told about
// them.

namespace shmem_sim::acl {
namespace {

constexpr int64_t kCubeCores = 24;  // Ascend 910B1
constexpr int64_t kVectorCores = 48;
constexpr int64_t kL2Bytes = int64_t{192} << 20;

// ASCEND_RT_VISIBLE_DEVICES: "2,3" makes devices 2 and 3 appear as 0 and 1. Malformed or unset:
// all.
const std::vector<int>& visible_devices() {
  static const std::vector<int> devices = [] {
    std::vector<int> list;
    const char* text = std::getenv("ASCEND_RT_VISIBLE_DEVICES");
    for (const char* at = text; at != nullptr && *at != '\0';) {
      char* end = nullptr;
      const long number = std::strtol(at, &end, 10);
      if (end == at || number < 0 || number >= config().devices) {
        break;
      }
      list.push_back(static_cast<int>(number));
      at = *end == ',' ? end + 1 : end;
    }
    if (text == nullptr) {
      for (int i = 0; i < config().devices; ++i) {
        list.push_back(i);
      }
    }
    return list;
  }();
  return devices;
}

aclrtContext context_of(int device) {
  return reinterpret_cast<aclrtContext>(static_cast<intptr_t>(device) + 1);
}

}  // namespace

int32_t require_device_id(int64_t device, const char* call) {
  const auto count = static_cast<int64_t>(visible_devices().size());
  if (device < 0 || device >= count) {
    return fail(ACL_ERROR_RT_INVALID_DEVICEID,
                call,
                fmt::format("device {}: there are {} devices", device, count));
  }
  return ACL_SUCCESS;
}

int32_t require_device(const char* call) {
  if (current_device() < 0) {
    return fail(
        ACL_ERROR_RT_CONTEXT_NULL, call, "no device set on this thread: call aclrtSetDevice first");
  }
  return ACL_SUCCESS;
}

}  // namespace shmem_sim::acl

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

extern "C" {

aclError aclrtGetDeviceCount(uint32_t* count) {
  SHMEM_SIM_ACL_CALL();
  *count = static_cast<uint32_t>(visible_devices().size());
  return *count == 0
             ? fail(ACL_ERROR_RT_NO_DEVICE, __func__, "ASCEND_RT_VISIBLE_DEVICES leaves no device")
             : ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t device) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device_id(device, __func__); error != 0) {
    return error;
  }
  set_current_device(device);
  return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t device) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device_id(device, __func__); error != 0) {
    return error;
  }
  reset_device(device);
  if (current_device() == device) {
    set_current_device(-1);
  }
  return ACL_SUCCESS;
}

aclError aclrtResetDeviceForce(int32_t device) {
  return aclrtResetDevice(device);
}

aclError aclrtGetDevice(int32_t* device) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device(__func__); error != 0) {
    return error;
  }
  *device = current_device();
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device(__func__); error != 0) {
    return error;
  }
  *context = context_of(current_device());
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  SHMEM_SIM_ACL_CALL();
  const auto device = reinterpret_cast<intptr_t>(context) - 1;
  if (const int32_t error = require_device_id(device, __func__); error != 0) {
    return error;
  }
  set_current_device(static_cast<int>(device));
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t device) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device_id(device, __func__); error != 0) {
    return error;
  }
  set_current_device(device);
  *context = context_of(device);
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;  // a context is its device here: nothing to release
}

aclError aclrtGetPrimaryCtxState(int32_t device, uint32_t* flags, int32_t* active) {
  SHMEM_SIM_ACL_CALL();
  if (flags != nullptr) {
    *flags = 0;
  }
  *active = 1;
  return require_device_id(device, __func__);
}

aclError aclrtSynchronizeDevice() {
  SHMEM_SIM_ACL_CALL();
  const int32_t error = require_device(__func__);
  return error != 0 ? error : result(__func__, synchronize_device(current_device()));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms) {
  SHMEM_SIM_ACL_CALL();
  const int32_t error = require_device(__func__);
  return error != 0
             ? error
             : result(__func__,
                      synchronize_device(current_device(), std::chrono::milliseconds(timeout_ms)));
}

// torch_npu asks after every failed call, and takes this call's code for the failure's when it is
// not 0: a synchronize that failed would then pass as "not supported" on CANN 9.1. No error of the
// simulator is of a memory or a core that could be repaired.
aclError aclrtGetErrorVerbose(int32_t device, aclrtErrorInfo* info) {
  SHMEM_SIM_ACL_CALL();
  if (info == nullptr) {
    return fail(ACL_ERROR_INVALID_PARAM, __func__, "no place for the error information");
  }
  if (const int32_t error = require_device_id(device, __func__); error != 0) {
    return error;
  }
  *info = {};
  info->errorType = ACL_RT_ERROR_OTHERS;
  return ACL_SUCCESS;
}

const char* aclrtGetSocName() {
  SHMEM_SIM_ACL_CALL();
  return config().soc.c_str();
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free_bytes, size_t* total_bytes) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device(__func__); error != 0) {
    return error;
  }
  *total_bytes = device_bytes_total();
  *free_bytes = *total_bytes - device_bytes_in_use(current_device());
  return ACL_SUCCESS;
}

aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t device, int32_t peer) {
  SHMEM_SIM_ACL_CALL();
  *can = device != peer ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return require_device_id(peer, __func__);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peer) {
  SHMEM_SIM_ACL_CALL();
  return require_device_id(peer, __func__);
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  SHMEM_SIM_ACL_CALL();
  *pid = getpid();
  return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t device, aclDeviceInfo info, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      *value = kCubeCores;
      break;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = kVectorCores;
      break;
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = kL2Bytes;
      break;
    default:
      return fail(ACL_ERROR_INVALID_PARAM,
                  __func__,
                  fmt::format("device information {} is not known", static_cast<int>(info)));
  }
  return require_device_id(device, __func__);
}

aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attribute, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  switch (static_cast<int>(attribute)) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = kCubeCores;
      break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = kVectorCores;
      break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = static_cast<int64_t>(device_bytes_total());
      break;
    default:
      return fail(ACL_ERROR_INVALID_PARAM,
                  __func__,
                  fmt::format("device attribute {} is not known", static_cast<int>(attribute)));
  }
  return require_device_id(device, __func__);
}

aclError aclrtDeviceGetUuid(int32_t device, aclrtUuid* uuid) {
  SHMEM_SIM_ACL_CALL();
  std::memset(uuid, 0, sizeof *uuid);
  reinterpret_cast<unsigned char*>(uuid)[0] = static_cast<unsigned char>(device + 1);
  return require_device_id(device, __func__);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t user, int32_t* const logic) {
  SHMEM_SIM_ACL_CALL();
  if (const int32_t error = require_device_id(user, __func__); error != 0) {
    return error;
  }
  *logic = visible_devices()[static_cast<size_t>(user)];
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceResLimit(int32_t device, aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  *value = static_cast<uint32_t>(type == ACL_RT_DEV_RES_VECTOR_CORE ? kVectorCores : kCubeCores);
  return require_device_id(device, __func__);
}

aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  return aclrtGetDeviceResLimit(0, type, value);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  SHMEM_SIM_ACL_CALL();
  return aclrtGetDeviceResLimit(0, type, value);
}

}  // extern "C"
