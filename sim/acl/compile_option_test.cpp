#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;

std::string just_in_time() {
  std::string text(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), '?');
  EXPECT_EQ(aclGetCompileopt(ACL_OP_JIT_COMPILE, text.data(), text.size()), ACL_SUCCESS);
  text.pop_back();  // the size counts the final null
  return text;
}

TEST(CompilingJustInTime, IsOffUntilItIsAskedFor) {
  in_child({}, [] {
    EXPECT_EQ(just_in_time(), "disable");
    EXPECT_EQ(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"), ACL_SUCCESS);
    EXPECT_EQ(just_in_time(), "enable");
    EXPECT_EQ(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable"), ACL_SUCCESS);
    EXPECT_EQ(just_in_time(), "disable");
  });
}

TEST(ACompileOption, NeedsRoomAndAName) {
  in_child({}, [] {
    char text[8] = "before";
    expect_refused(
        aclGetCompileopt(ACL_OP_JIT_COMPILE, text, 7), ACL_ERROR_INVALID_PARAM, "7 bytes");
    expect_refused(aclGetCompileopt(ACL_PRECISION_MODE, text, sizeof text),
                   ACL_ERROR_INVALID_PARAM,
                   "has no value");
    EXPECT_EQ(std::string(text), "before");
    EXPECT_EQ(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, 8), ACL_SUCCESS);
    EXPECT_EQ(aclGetCompileoptSize(ACL_PRECISION_MODE), 0u);
    expect_refused(
        aclGetCompileopt(ACL_OP_JIT_COMPILE, nullptr, 8), ACL_ERROR_RT_PARAM_INVALID, "null");
    expect_refused(
        aclSetCompileopt(ACL_OP_JIT_COMPILE, nullptr), ACL_ERROR_RT_PARAM_INVALID, "null");
  });
}

TEST(ASystemOption, KeepsItsValue) {
  in_child({}, [] {
    int64_t value = -1;
    EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 5), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 5);
  });
}

TEST(ASystemOption, NeedsAPlace) {
  in_child({}, [] {
    expect_refused(
        aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_RT_PARAM_INVALID, "null");
  });
}

TEST(TimeoutsOfOperators, AreTakenAsTheyAre) {
  in_child({}, [] {
    uint64_t actual = 0;
    EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(1234, &actual), ACL_SUCCESS);
    EXPECT_EQ(actual, 1234u);
    expect_refused(aclrtSetOpExecuteTimeOutV2(1, nullptr), ACL_ERROR_RT_PARAM_INVALID, "null");
    EXPECT_EQ(aclrtSetOpWaitTimeout(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetOpExecuteTimeOut(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
