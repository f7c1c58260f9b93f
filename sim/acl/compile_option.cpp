#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"

// Options of an operator compiler that is never called, and of a runtime that has one way to run.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

// "disable" is what makes torch_npu call aclnn operators at all.
std::atomic<bool> g_just_in_time{false};

const char* just_in_time_text() {
  return g_just_in_time ? "enable" : "disable";
}

constexpr int kSystemOptions = 64;
std::atomic<int64_t> g_system_options[kSystemOptions];

int32_t require_system_option(aclSysParamOpt option, const char* call) {
  const int number = static_cast<int>(option);
  return number >= 0 && number < kSystemOptions
             ? ACL_SUCCESS
             : fail(ACL_ERROR_RT_PARAM_INVALID,
                    call,
                    fmt::format("system option {} is not known", number));
}

aclError set_system_option(aclSysParamOpt option, int64_t value, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_system_option(option, call));
  g_system_options[static_cast<int>(option)] = value;
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

size_t aclGetCompileoptSize(aclCompileOpt option) {
  SHMEM_SIM_ACL_CALL();
  return option == ACL_OP_JIT_COMPILE ? std::strlen(just_in_time_text()) + 1 : 0;
}

aclError aclGetCompileopt(aclCompileOpt option, char* value, size_t bytes) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  if (option != ACL_OP_JIT_COMPILE) {
    return fail(ACL_ERROR_INVALID_PARAM,
                __func__,
                fmt::format("compile option {} has no value: nothing is compiled here",
                            static_cast<int>(option)));
  }
  const char* text = just_in_time_text();
  if (bytes <= std::strlen(text)) {
    return fail(ACL_ERROR_INVALID_PARAM,
                __func__,
                fmt::format("{} bytes are too few: aclGetCompileoptSize tells how many", bytes));
  }
  std::snprintf(value, bytes, "%s", text);
  return ACL_SUCCESS;
}

aclError aclSetCompileopt(aclCompileOpt option, const char* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  if (option == ACL_OP_JIT_COMPILE) {
    g_just_in_time = std::strcmp(value, "enable") == 0;
  }
  return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  SHMEM_SIM_ACL_CHECK(require_system_option(option, __func__));
  *value = g_system_options[static_cast<int>(option)];
  return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  SHMEM_SIM_ACL_CALL();
  return set_system_option(option, value, __func__);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  SHMEM_SIM_ACL_CALL();
  return set_system_option(option, value, __func__);
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;  // see ACL_CANN_ATTR_INF_NAN
}

// The deadline of device work is SHMEM_SIM_WAIT_TIMEOUT_MS.
aclError aclrtSetOpWaitTimeout(uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout_us, uint64_t* actual_us) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(actual_us, __func__));
  *actual_us = timeout_us;
  return ACL_SUCCESS;
}

}  // extern "C"
