#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;

int64_t attribute(aclrtDevAttr name) {
  int64_t value = -1;
  EXPECT_EQ(aclrtGetDeviceInfo(0, name, &value), ACL_SUCCESS);
  return value;
}

int64_t capability(aclDeviceInfo name) {
  int64_t value = -1;
  EXPECT_EQ(aclGetDeviceCapability(7, name, &value), ACL_SUCCESS);
  return value;
}

TEST(ADevice, HasTheNumbersOfA910B1) {
  in_child({{"SHMEM_SIM_DEVICE_MEMORY_MIB", "3"}}, [] {
    EXPECT_EQ(attribute(ACL_DEV_ATTR_AICORE_CORE_NUM), 24);
    EXPECT_EQ(attribute(ACL_DEV_ATTR_CUBE_CORE_NUM), 24);
    EXPECT_EQ(attribute(ACL_DEV_ATTR_VECTOR_CORE_NUM), 48);
    EXPECT_EQ(attribute(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE), 192 << 10);
    EXPECT_EQ(attribute(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), 3 << 20);
    EXPECT_EQ(attribute(ACL_DEV_ATTR_L2_CACHE_SIZE), capability(ACL_DEVICE_INFO_L2_SIZE));
    EXPECT_EQ(capability(ACL_DEVICE_INFO_AI_CORE_NUM), 24);
    EXPECT_EQ(capability(ACL_DEVICE_INFO_VECTOR_CORE_NUM), 48);
  });
}

TEST(CoreLimits, AreAllCores) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 24u);
    EXPECT_EQ(aclrtGetStreamResLimit(nullptr, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 48u);
    EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 24u);
    expect_refused(aclrtGetDeviceResLimit(8, ACL_RT_DEV_RES_CUBE_CORE, &value),
                   ACL_ERROR_RT_INVALID_DEVICEID,
                   "device 8");
    EXPECT_EQ(value, 24u);
  });
}

TEST(WhatIsNotKnownOfADevice, IsRefused) {
  in_child({}, [] {
    int64_t value = -1;
    expect_refused(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value),
                   ACL_ERROR_INVALID_PARAM,
                   "device attribute 202 is not known");
    expect_refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value),
                   ACL_ERROR_INVALID_PARAM,
                   "is not known");
    expect_refused(aclrtGetDeviceInfo(8, ACL_DEV_ATTR_L2_CACHE_SIZE, &value),
                   ACL_ERROR_RT_INVALID_DEVICEID,
                   "there are 8 devices");
    expect_refused(aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &value),
                   ACL_ERROR_RT_INVALID_DEVICEID,
                   "4294967295");
    EXPECT_EQ(value, -1);
  });
}

TEST(DeviceInformation, NeedsAPlace) {
  in_child({}, [] {
    const auto refused = [](aclError error, const char* call) {
      expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, call);
    };
    refused(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, nullptr), "aclrtGetDeviceInfo");
    refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, nullptr), "aclGetDeviceCapability");
    refused(aclrtDeviceGetUuid(0, nullptr), "aclrtDeviceGetUuid");
    refused(aclrtDeviceGetBareTgid(nullptr), "aclrtDeviceGetBareTgid");
    refused(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, nullptr), "aclrtGetDeviceResLimit");
    refused(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, nullptr), "InCurrentThread");
  });
}

TEST(EveryDevice, HasAnIdOfItsOwn) {
  in_child({}, [] {
    aclrtUuid first;
    aclrtUuid second;
    EXPECT_EQ(aclrtDeviceGetUuid(0, &first), ACL_SUCCESS);
    EXPECT_EQ(aclrtDeviceGetUuid(1, &second), ACL_SUCCESS);
    EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
    expect_refused(aclrtDeviceGetUuid(8, &first), ACL_ERROR_RT_INVALID_DEVICEID, "device 8");
    int32_t pid = -1;
    EXPECT_EQ(aclrtDeviceGetBareTgid(&pid), ACL_SUCCESS);
    EXPECT_EQ(pid, getpid());
  });
}

}  // namespace
}  // namespace shmem_sim::acl
