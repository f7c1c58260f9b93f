#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/in_child.h"

// Without the vendor's headers, as unmodelled.cpp: the functions are called by name only.

extern "C" {

const char* aclGetRecentErrMsg();

#define UNMODELLED(name) int32_t name();
#define UNMODELLED_POINTER(name) void* name();
#define DROPPED(name) uint64_t name();
#include "sim/acl/hccl.def"
#include "sim/acl/unmodelled.def"
#undef UNMODELLED
#undef UNMODELLED_POINTER
#undef DROPPED
int32_t HcclSetConfig();
int32_t HcclGetCommConfigCapability();
const char* HcclGetErrorString(int32_t code);

}  // extern "C"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::findings;
using shmem_sim::tests::in_child;

constexpr int32_t kFeatureNotSupported = 207000;

// The name stands in the message of this thread and in the findings of the process.
void expect_named(const std::string& name) {
  const char* message = aclGetRecentErrMsg();
  ASSERT_NE(message, nullptr) << name;
  EXPECT_NE(std::string(message).find(" " + name + ": not modelled"), std::string::npos) << message;
  EXPECT_NE(findings().find(name + " is not modelled"), std::string::npos) << name;
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(WhatIsNotModelled, ReturnsAnErrorAndNamesItself) {
  in_child({}, [] {
    int count = 0;
#define UNMODELLED(name)                   \
  EXPECT_EQ(name(), kFeatureNotSupported); \
  expect_named(#name);                     \
  ++count;
#define UNMODELLED_POINTER(name) \
  EXPECT_EQ(name(), nullptr);    \
  expect_named(#name);           \
  ++count;
#define DROPPED(name)
#include "sim/acl/unmodelled.def"
#undef UNMODELLED
#undef UNMODELLED_POINTER
#undef DROPPED
    EXPECT_GT(count, 50);
  });
}

TEST(Hccl, IsNotModelledButForWhatTorchNpuAsksAtItsStart) {
  in_child({}, [] {
    EXPECT_EQ(HcclSetConfig(), 0);
    EXPECT_EQ(HcclGetCommConfigCapability(), 0);
    EXPECT_NE(std::string(HcclGetErrorString(1)).find("not modelled"), std::string::npos);
    EXPECT_EQ(findings(), "");
    int count = 0;
#define UNMODELLED(name)                   \
  EXPECT_EQ(name(), kFeatureNotSupported); \
  expect_named(#name);                     \
  ++count;
#include "sim/acl/hccl.def"
#undef UNMODELLED
    EXPECT_GT(count, 15);
  });
}

TEST(ProfilingData, IsDroppedWithoutAWord) {
  in_child({}, [] {
#define UNMODELLED(name)
#define UNMODELLED_POINTER(name)
#define DROPPED(name) EXPECT_EQ(name(), 0u);
#include "sim/acl/unmodelled.def"
#undef UNMODELLED
#undef UNMODELLED_POINTER
#undef DROPPED
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(findings(), "");
  });
}

}  // namespace
}  // namespace shmem_sim::acl
