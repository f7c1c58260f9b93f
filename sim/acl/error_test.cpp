#include "sim/acl/error.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "sim/core/finding.h"
#include "tests/support/in_child.h"

extern "C" void shmem_sim_set_recent_error(int code, const char* call, const char* text);

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::findings;
using shmem_sim::tests::in_child;
using tests::expect_refused;
using tests::recent_message;

TEST(ARecentMessage, IsGivenOnce) {
  in_child({}, [] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(fail(107000, "aclrtThing", "the reason"), 107000);
    EXPECT_EQ(recent_message(), "[simulated CANN] aclrtThing: the reason (error 107000)");
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  });
}

TEST(ARecentMessage, IsThatOfTheLastFailureOfTheThread) {
  in_child({}, [] {
    fail(1, "first", "one");
    fail(2, "second", "two");
    std::thread([] {
      EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
      EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
      fail(3, "elsewhere", "three");
    }).join();
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 2);
    EXPECT_EQ(recent_message(), "[simulated CANN] second: two (error 2)");
  });
}

TEST(TheLastError, IsForgottenWhenItIsTaken) {
  in_child({}, [] {
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
    fail(107002, "aclrtThing", "no device");
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 107002);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 107002);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107002);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
  });
}

TEST(AResult, IsAFailureOnlyWhenItsStatusIs) {
  in_child({}, [] {
    EXPECT_EQ(result("call", Status{}), 0);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    expect_refused(result("call", failed(507015, "why")), 507015, "call: why");
  });
}

TEST(AFailureOfAnOperatorLibrary, IsReadInTheSamePlace) {
  in_child({}, [] {
    shmem_sim_set_recent_error(161002, "aclnnAdd", "two shapes");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 161002);
    EXPECT_EQ(recent_message(), "[simulated CANN] aclnnAdd: two shapes (error 161002)");
  });
}

TEST(WhatIsNotModelled, IsAFindingToo) {
  in_child({}, [] {
    expect_refused(unmodelled("aclrtNovelty"), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtNovelty");
    EXPECT_EQ(finding_count(), 1);
    EXPECT_NE(findings().find("unmodelled-call"), std::string::npos);
    EXPECT_NE(findings().find("aclrtNovelty"), std::string::npos);
  });
}

TEST(TheVerboseError, IsNoneThatCanBeRepaired) {
  in_child({}, [] {
    aclrtErrorInfo info{};
    fail(507015, "aclrtSynchronizeDevice", "broken");
    EXPECT_EQ(aclrtGetErrorVerbose(0, &info), ACL_SUCCESS);
    EXPECT_EQ(info.errorType, ACL_RT_ERROR_OTHERS);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 507015);  // not taken by asking
    expect_refused(aclrtGetErrorVerbose(0, nullptr), ACL_ERROR_RT_PARAM_INVALID, "null");
    expect_refused(aclrtGetErrorVerbose(8, &info), ACL_ERROR_RT_INVALID_DEVICEID, "device 8");
  });
}

}  // namespace
}  // namespace shmem_sim::acl
