#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "tests/support/in_child.h"

// torch_npu still asks by the call that the vendor's header advises against.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;

std::string package_version(aclCANNPackageName name) {
  aclCANNPackageVersion version;
  EXPECT_EQ(aclsysGetCANNVersion(name, &version), ACL_SUCCESS);
  return version.version;
}

void expect_profile(const std::string& soc, const std::string& cann, const std::string& driver) {
  EXPECT_EQ(aclrtGetSocName(), soc);
  EXPECT_EQ(package_version(ACL_PKG_NAME_CANN), cann);
  EXPECT_EQ(package_version(ACL_PKG_NAME_DRIVER), driver);
  char name[] = "runtime";
  char text[sizeof(aclCANNPackageVersion::version)] = {};
  EXPECT_EQ(aclsysGetVersionStr(name, text), ACL_SUCCESS);
  EXPECT_EQ(text, cann);
}

TEST(AProfile, HasItsNamesAndVersions) {
  in_child({}, [] { expect_profile("Ascend910B1", "8.5.0", "25.5.0"); });
  in_child({{"SHMEM_SIM_SOC", "Ascend950PR_9599"}},
           [] { expect_profile("Ascend950PR_9599", "9.1.0", "26.0.0"); });
}

TEST(AProfile, TakesVersionsFromItsSettings) {
  in_child({{"SHMEM_SIM_SOC", "Ascend950PR_9599"},
            {"SHMEM_SIM_CANN_VERSION", "8.3.RC1"},
            {"SHMEM_SIM_DRIVER_VERSION", "24.1.0"}},
           [] { expect_profile("Ascend950PR_9599", "8.3.RC1", "24.1.0"); });
}

TEST(AVersionThatIsTooLong, IsCutAtTheRoomForIt) {
  in_child({{"SHMEM_SIM_CANN_VERSION", std::string(500, '9')}}, [] {
    constexpr size_t kRoom = sizeof(aclCANNPackageVersion::version);
    EXPECT_EQ(package_version(ACL_PKG_NAME_CANN), std::string(kRoom - 1, '9'));
  });
}

TEST(AttributesOfTheToolkit, AreListedAndAnswered) {
  in_child({}, [] {
    const aclCannAttr* list = nullptr;
    size_t count = 0;
    EXPECT_EQ(aclGetCannAttributeList(&list, &count), ACL_SUCCESS);
    ASSERT_GT(count, 0u);
    for (size_t i = 0; i < count; ++i) {
      int32_t value = 0;
      EXPECT_EQ(aclGetCannAttribute(list[i], &value), ACL_SUCCESS);
      EXPECT_EQ(value, 1);
    }
    int32_t value = 1;
    EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 0);
  });
}

TEST(VersionCalls, RefuseNullPlaces) {
  in_child({}, [] {
    const auto refused = [](aclError error, const char* call) {
      expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, call);
    };
    const aclCannAttr* list = nullptr;
    size_t count = 0;
    refused(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), "aclsysGetCANNVersion");
    refused(aclsysGetVersionStr(nullptr, nullptr), "aclsysGetVersionStr");
    refused(aclGetCannAttribute(ACL_CANN_ATTR_BF16, nullptr), "aclGetCannAttribute");
    refused(aclGetCannAttributeList(nullptr, &count), "aclGetCannAttributeList");
    refused(aclGetCannAttributeList(&list, nullptr), "aclGetCannAttributeList");
  });
}

}  // namespace
}  // namespace shmem_sim::acl
