#include "sim/acl/error.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/config.h"
#include "sim/core/finding.h"
#include "sim/core/stream.h"

namespace shmem_sim::acl {
namespace {

std::string& recent_message() {
  thread_local std::string message;
  return message;
}

int32_t& recent_code() {
  thread_local int32_t code = 0;
  return code;
}

// A forked child has had no failure of its own.
void forget_failures_in_child() {
  recent_message().clear();
  recent_code() = 0;
}

}  // namespace

int32_t fail(int32_t code, const char* call, const std::string& message) {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_failures_in_child);
  static_cast<void>(registered);
  recent_message() = fmt::format("[simulated CANN] {}: {} (error {})", call, message, code);
  recent_code() = code;
  if (config().trace) {
    fmt::print(stderr, "{}\n", recent_message());
  }
  return code;
}

int32_t result(const char* call, const Status& status) {
  return status.ok() ? ACL_SUCCESS : fail(status.code, call, status.message);
}

int32_t unmodelled(const char* call) {
  report({"unmodelled-call",
          fmt::format("{} is not modelled by the simulated CANN; docs/simulator.md lists what is",
                      call)});
  return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              call,
              "not modelled by the simulated CANN; docs/simulator.md lists what is");
}

void trace(const char* call) {
  if (config().trace) {
    fmt::print(stderr, "[acl pid {} device {}] {}\n", getpid(), current_device(), call);
  }
}

}  // namespace shmem_sim::acl

using shmem_sim::acl::recent_code;
using shmem_sim::acl::recent_message;

extern "C" {

const char* aclGetRecentErrMsg() {
  thread_local std::string given;  // valid until the thread asks again
  given = std::exchange(recent_message(), {});
  return given.empty() ? nullptr : given.c_str();
}

aclError aclrtGetLastError(aclrtLastErrLevel) {
  return std::exchange(recent_code(), 0);
}
aclError aclrtPeekAtLastError(aclrtLastErrLevel) {
  return recent_code();
}

// torch_npu asks after every failed call, and takes this call's code for the failure's when it is
// not 0: a synchronize that failed would then pass as "not supported" on CANN 9.1. No error of the
// simulator is of a memory or a core that could be repaired.
aclError aclrtGetErrorVerbose(int32_t device, aclrtErrorInfo* info) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(shmem_sim::acl::require_place(info, __func__));
  SHMEM_SIM_ACL_CHECK(shmem_sim::acl::require_device_id(device, __func__));
  *info = {};
  info->errorType = ACL_RT_ERROR_OTHERS;
  return ACL_SUCCESS;
}

// Logs go nowhere.
void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) {}

// For libopapi, whose failures are read through the same function and whose calls stand in the same
// trace.
void shmem_sim_set_recent_error(int code, const char* call, const char* text) {
  shmem_sim::acl::fail(code, call, text);
}
void shmem_sim_trace_call(const char* call) {
  shmem_sim::acl::trace(call);
}

}  // extern "C"
