#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/config.h"

// Life of the runtime, versions, and the options torch_npu reads and sets while it starts.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

std::atomic<bool> g_initialised{false};

bool is_950() {
  return config().soc.rfind("Ascend950", 0) == 0;
}

std::string cann_version() {
  return !config().cann_version.empty() ? config().cann_version : is_950() ? "9.1.0" : "8.5.0";
}

std::string driver_version() {
  return !config().driver_version.empty() ? config().driver_version
         : is_950()                       ? "26.0.0"
                                          : "25.5.0";
}

constexpr size_t kVersionBytes = 128;
constexpr int kSystemOptions = 64;
std::atomic<int64_t> g_system_options[kSystemOptions];

}  // namespace

extern "C" {

aclError aclInit(const char*) {
  SHMEM_SIM_ACL_CALL();
  if (g_initialised.exchange(true)) {
    return fail(ACL_ERROR_REPEAT_INITIALIZE, __func__, "initialised already");
  }
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  SHMEM_SIM_ACL_CALL();
  g_initialised = false;
  return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  SHMEM_SIM_ACL_CALL();
  std::memset(version, 0, sizeof *version);
  const std::string text = name == ACL_PKG_NAME_DRIVER ? driver_version() : cann_version();
  std::snprintf(version->version, sizeof version->version, "%s", text.c_str());
  return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char*, char* version) {
  SHMEM_SIM_ACL_CALL();
  std::snprintf(version, kVersionBytes, "%s", cann_version().c_str());
  return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr, int32_t* value) {
  SHMEM_SIM_ACL_CALL();
  *value = 1;  // INF_NAN: infinities and NaN are kept, as on the CPU
  return ACL_SUCCESS;
}

aclError aclGetCannAttributeList(const aclCannAttr** list, size_t* count) {
  SHMEM_SIM_ACL_CALL();
  static const aclCannAttr attributes[] = {ACL_CANN_ATTR_INF_NAN};
  *list = attributes;
  *count = 1;
  return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  SHMEM_SIM_ACL_CALL();
  *value = g_system_options[static_cast<int>(option) % kSystemOptions];
  return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  SHMEM_SIM_ACL_CALL();
  g_system_options[static_cast<int>(option) % kSystemOptions] = value;
  return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  return aclrtSetSysParamOpt(option, value);
}

// "disable" for just-in-time compilation is what makes torch_npu call aclnn operators at all.
size_t aclGetCompileoptSize(aclCompileOpt) {
  return kVersionBytes;
}

aclError aclGetCompileopt(aclCompileOpt, char* value, size_t bytes) {
  SHMEM_SIM_ACL_CALL();
  std::snprintf(value, bytes, "%s", "disable");
  return ACL_SUCCESS;
}

aclError aclSetCompileopt(aclCompileOpt, const char*) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;  // options of a compiler that is never called
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;
}

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
  *actual_us = timeout_us;
  return ACL_SUCCESS;
}

aclError aclmdlRICaptureGetInfo(aclrtStream, aclmdlRICaptureStatus* status, aclmdlRI* model) {
  SHMEM_SIM_ACL_CALL();
  *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  if (model != nullptr) {
    *model = nullptr;
  }
  return ACL_SUCCESS;
}

aclError aclmdlInitDump() {
  return ACL_SUCCESS;
}  // nothing is dumped
aclError aclmdlFinalizeDump() {
  return ACL_SUCCESS;
}

}  // extern "C"
