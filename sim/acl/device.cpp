#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/config.h"

// Devices and contexts (one per device, its handle is the device number + 1).

namespace shmem_sim::acl {
namespace {

// ASCEND_RT_VISIBLE_DEVICES: "2,3" makes devices 2 and 3 appear as 0 and 1; what stands behind the
// first entry that is no device does not count. Unset: all. Read once per process.
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

// One bit per device that was set since it was last reset.
std::atomic<uint32_t> g_active{0};

// A forked child has a machine of its own, on which no device was set.
void forget_devices_in_child() {
  g_active = 0;
  set_current_device(-1);
}

void use_device(int device) {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_devices_in_child);
  static_cast<void>(registered);
  set_current_device(device);
  g_active |= 1U << device;
}

aclError reset(int32_t device, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_device_id(device, call));
  reset_device(device);
  g_active &= ~(1U << device);
  if (current_device() == device) {
    set_current_device(-1);
  }
  return ACL_SUCCESS;
}

aclError require_peers(int32_t device, int32_t peer, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_device_id(device, call));
  return require_device_id(peer, call);
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

int32_t require_sound_device(const char* call) {
  SHMEM_SIM_ACL_CHECK(require_device(call));
  return result(call, device_error(current_device()));
}

int32_t require_place(const void* place, const char* call) {
  return place != nullptr ? ACL_SUCCESS
                          : fail(ACL_ERROR_RT_PARAM_INVALID, call, "a pointer argument is null");
}

}  // namespace shmem_sim::acl

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

extern "C" {

aclError aclrtGetDeviceCount(uint32_t* count) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(count, __func__));
  *count = static_cast<uint32_t>(visible_devices().size());
  return *count == 0
             ? fail(ACL_ERROR_RT_NO_DEVICE, __func__, "ASCEND_RT_VISIBLE_DEVICES leaves no device")
             : ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t device) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  use_device(device);
  return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t device) {
  SHMEM_SIM_ACL_CALL();
  return reset(device, __func__);
}

aclError aclrtResetDeviceForce(int32_t device) {
  SHMEM_SIM_ACL_CALL();
  return reset(device, __func__);
}

aclError aclrtGetDevice(int32_t* device) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(device, __func__));
  SHMEM_SIM_ACL_CHECK(require_device(__func__));
  *device = current_device();
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(context, __func__));
  SHMEM_SIM_ACL_CHECK(require_device(__func__));
  *context = context_of(current_device());
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  SHMEM_SIM_ACL_CALL();
  const auto device = reinterpret_cast<intptr_t>(context) - 1;
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  use_device(static_cast<int>(device));
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t device) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(context, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  use_device(device);
  *context = context_of(device);
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  SHMEM_SIM_ACL_CALL();
  // A context is its device here: there is nothing to release.
  return require_device_id(reinterpret_cast<intptr_t>(context) - 1, __func__);
}

aclError aclrtGetPrimaryCtxState(int32_t device, uint32_t* flags, int32_t* active) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(active, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(device, __func__));
  if (flags != nullptr) {
    *flags = 0;
  }
  *active = (g_active >> device & 1U) != 0 ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_device(__func__));
  return result(__func__, synchronize_device(current_device()));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_device(__func__));
  return result(__func__,
                synchronize_device(current_device(), std::chrono::milliseconds(timeout_ms)));
}

aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t device, int32_t peer) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(can, __func__));
  SHMEM_SIM_ACL_CHECK(require_peers(device, peer, __func__));
  *can = device != peer ? 1 : 0;
  return ACL_SUCCESS;
}

// All memory of the process can be reached from every device: nothing to switch.
aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return require_device_id(peer, __func__);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peer) {
  SHMEM_SIM_ACL_CALL();
  return require_device_id(peer, __func__);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t user, int32_t* const logic) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(logic, __func__));
  SHMEM_SIM_ACL_CHECK(require_device_id(user, __func__));
  *logic = visible_devices()[static_cast<size_t>(user)];
  return ACL_SUCCESS;
}

}  // extern "C"
