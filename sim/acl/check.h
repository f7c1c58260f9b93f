#pragma once

#include "acl/acl.h"
#include "sim/acl/error.h"
#include "sim/core/stream.h"

// Checks that every call makes on its handles. A null stream means the default stream of the
// current device.

namespace shmem_sim::acl {

// Null and the recent error message set when the handle is not a live stream, or there is no
// current device.
Stream* stream_of(aclrtStream handle, const char* call);
Event* event_of(aclrtEvent handle, const char* call);

// ACL_SUCCESS when this thread has a device.
int32_t require_device(const char* call);
int32_t require_device_id(int64_t device, const char* call);

}  // namespace shmem_sim::acl

#define SHMEM_SIM_ACL_CALL() ::shmem_sim::acl::trace(__func__)
