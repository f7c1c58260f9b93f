#pragma once

// Here the names that host and device share are defined, so the kernels' macros over them must not
// be.
#define SHMEM_SIM_IMPLEMENTATION

#include "sim/core/choose.h"
#include "sim/include/shmem/device/shmem_device_api.h"

namespace shmem_sim::shmem::device {

// Where `address` of the own heap lies on `pe`. Ends the kernel with a finding when there is no
// such place.
void* remote(const void* address, int pe, const Site& site);

// A function that host and device share starts: notes its name, and keeps the source line if the
// kernel has given one.
void enter_shared(const char* call);

}  // namespace shmem_sim::shmem::device
