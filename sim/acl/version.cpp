#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/config.h"

// The profile as programs see it: names and versions, by which torch_npu chooses its paths.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

// What aclsysGetVersionStr's caller has room for; the header gives it no size.
constexpr size_t kVersionBytes = sizeof(aclCANNPackageVersion::version);

// Infinities and NaN are kept, as on the CPU; nothing is compiled just in time.
constexpr std::array kAttributes = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};

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

}  // namespace

extern "C" {

const char* aclrtGetSocName() {
  SHMEM_SIM_ACL_CALL();
  return config().soc.c_str();
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(version, __func__));
  std::memset(version, 0, sizeof *version);
  const std::string text = name == ACL_PKG_NAME_DRIVER ? driver_version() : cann_version();
  std::snprintf(version->version, sizeof version->version, "%s", text.c_str());
  return ACL_SUCCESS;
}

// Every package has the version of the toolkit.
aclError aclsysGetVersionStr(char*, char* version) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(version, __func__));
  std::snprintf(version, kVersionBytes, "%s", cann_version().c_str());
  return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr attribute, int32_t* value) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(value, __func__));
  const bool has =
      std::find(kAttributes.begin(), kAttributes.end(), attribute) != kAttributes.end();
  *value = has ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclGetCannAttributeList(const aclCannAttr** list, size_t* count) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(list, __func__));
  SHMEM_SIM_ACL_CHECK(require_place(count, __func__));
  *list = kAttributes.data();
  *count = kAttributes.size();
  return ACL_SUCCESS;
}

}  // extern "C"
