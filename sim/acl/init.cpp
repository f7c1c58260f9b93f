#include <unistd.h>

#include <atomic>

#include "acl/acl.h"
#include "sim/acl/check.h"

// Life of the runtime.

namespace {

// The process that initialised: a forked child does it again.
std::atomic<pid_t> g_initialised_by{0};

}  // namespace

extern "C" {

aclError aclInit(const char*) {
  SHMEM_SIM_ACL_CALL();
  const pid_t self = getpid();
  if (g_initialised_by.exchange(self) == self) {
    return shmem_sim::acl::fail(ACL_ERROR_REPEAT_INITIALIZE, __func__, "initialised already");
  }
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  SHMEM_SIM_ACL_CALL();
  const pid_t self = getpid();
  if (g_initialised_by.exchange(0) != self) {
    return shmem_sim::acl::fail(
        ACL_ERROR_REPEAT_FINALIZE, __func__, "not initialised: call aclInit first");
  }
  return ACL_SUCCESS;
}

}  // extern "C"
