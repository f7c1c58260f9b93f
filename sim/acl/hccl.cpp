#include <cstdint>

#include "sim/acl/error.h"

// Collectives of HCCL are not modelled: a call says so. HcclSetConfig is made by torch_npu while it
// starts.

#define UNMODELLED(name)                        \
  int32_t name() {                              \
    return ::shmem_sim::acl::unmodelled(#name); \
  }

extern "C" {

int32_t HcclSetConfig() {
  return 0;
}
const char* HcclGetErrorString(int32_t) {
  return "HCCL is not modelled by the simulated CANN";
}
int32_t HcclGetCommConfigCapability() {
  return 0;
}

#include "sim/acl/hccl.def"

}  // extern "C"
