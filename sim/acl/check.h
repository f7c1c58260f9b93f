#pragma once

#include "acl/acl.h"
#include "sim/acl/error.h"
#include "sim/core/stream.h"

// Checks that calls make on what they are given. Each returns ACL_SUCCESS, or the code of the
// failure with the recent error message set.

namespace shmem_sim::acl {

// The live stream behind a handle; a null handle means the default stream of the current device.
int32_t find_stream(aclrtStream handle, const char* call, Stream** stream);
int32_t find_event(aclrtEvent handle, const char* call, Event** event);

// A result pointer that must not be null.
int32_t require_place(const void* place, const char* call);

// This thread has a device.
int32_t require_device(const char* call);

// The device number is one of those that aclrtGetDeviceCount counts.
int32_t require_device_id(int64_t device, const char* call);

// The error that sticks to this thread's device, if any: what is read after it is not what the
// program computed.
int32_t require_sound_device(const char* call);

}  // namespace shmem_sim::acl

#define SHMEM_SIM_ACL_CALL() ::shmem_sim::acl::trace(__func__)

// Leaves the function with the code of a check that fails.
#define SHMEM_SIM_ACL_CHECK(check)               \
  if (const int32_t error = (check); error != 0) \
  return error
