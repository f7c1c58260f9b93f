#include "sim/acl/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "acl/acl.h"
#include "acl/acl_rt.h"
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

}  // namespace

int32_t fail(int32_t code, const char* call, const std::string& message) {
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

void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) {
}  // logs go nowhere

// For libopapi, whose failures are read through the same function.
void shmem_sim_set_recent_error(int code, const char* call, const char* text) {
  shmem_sim::acl::fail(code, call, text);
}

}  // extern "C"
