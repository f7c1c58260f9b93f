#pragma once

#include <cstdint>
#include <string>

#include "sim/core/status.h"

// How a failure leaves the C API: a code, and a text that aclGetRecentErrMsg gives to the same
// thread.

namespace shmem_sim::acl {

// Remembers `message` for this thread (prefixed with the call) and returns `code`.
int32_t fail(int32_t code, const char* call, const std::string& message);

// 0, or the status as a failure of `call`.
int32_t result(const char* call, const Status& status);

// A function that is not modelled: names itself, here and in a finding, and returns the code for
// unsupported features.
int32_t unmodelled(const char* call);

// With SHMEM_SIM_TRACE: one line per call.
void trace(const char* call);

}  // namespace shmem_sim::acl
