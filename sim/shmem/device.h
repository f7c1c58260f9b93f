#pragma once

#include "sim/core/choose.h"
#include "sim/include/shmem/device/shmem_device_api.h"

namespace shmem_sim::shmem::device {

// Where `address` of the own heap lies on `pe`. Ends the kernel with a finding when there is no such place.
void* remote(const void* address, int pe, const char* call);

}  // namespace shmem_sim::shmem::device
