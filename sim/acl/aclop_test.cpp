#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::findings;
using shmem_sim::tests::in_child;
using tests::expect_refused;

aclError execute(const char* op) {
  return aclopCompileAndExecute(op,
                                0,
                                nullptr,
                                nullptr,
                                0,
                                nullptr,
                                nullptr,
                                nullptr,
                                ACL_ENGINE_SYS,
                                ACL_COMPILE_SYS,
                                nullptr,
                                nullptr);
}

aclError execute_v2(const char* op) {
  return aclopCompileAndExecuteV2(op,
                                  0,
                                  nullptr,
                                  nullptr,
                                  0,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  ACL_ENGINE_SYS,
                                  ACL_COMPILE_SYS,
                                  nullptr,
                                  nullptr);
}

TEST(ATensorDescriptor, TellsWhatItWasMadeOf) {
  in_child({}, [] {
    const int64_t dims[] = {2, 3, 4};
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_ND);
    ASSERT_NE(desc, nullptr);
    EXPECT_EQ(aclGetTensorDescType(desc), ACL_FLOAT16);
    EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_ND);
    EXPECT_EQ(aclGetTensorDescNumDims(desc), 3u);
    int64_t size = -1;
    EXPECT_EQ(aclGetTensorDescDimV2(desc, 2, &size), ACL_SUCCESS);
    EXPECT_EQ(size, 4);
    const int64_t other[] = {7};
    EXPECT_EQ(aclSetTensorShape(desc, 1, other), ACL_SUCCESS);
    EXPECT_EQ(aclSetTensorFormat(desc, ACL_FORMAT_NCHW), ACL_SUCCESS);
    EXPECT_EQ(aclGetTensorDescNumDims(desc), 1u);
    EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_NCHW);
    aclDestroyTensorDesc(desc);
    aclTensorDesc* scalar = aclCreateTensorDesc(ACL_INT32, 0, nullptr, ACL_FORMAT_ND);
    ASSERT_NE(scalar, nullptr);
    EXPECT_EQ(aclGetTensorDescNumDims(scalar), 0u);
    aclDestroyTensorDesc(scalar);
  });
}

TEST(ATensorDescriptor, RefusesADimensionThatItDoesNotHave) {
  in_child({}, [] {
    const int64_t dims[] = {2, 3};
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    int64_t size = -1;
    expect_refused(
        aclGetTensorDescDimV2(desc, 2, &size), ACL_ERROR_INVALID_PARAM, "dimension 2 of 2");
    EXPECT_EQ(size, -1);
    expect_refused(aclGetTensorDescDimV2(desc, 0, nullptr), ACL_ERROR_RT_PARAM_INVALID, "null");
    expect_refused(aclGetTensorDescDimV2(nullptr, 0, &size), ACL_ERROR_RT_PARAM_INVALID, "null");
    aclDestroyTensorDesc(desc);
  });
}

TEST(AShape, NeedsItsDimensions) {
  in_child({}, [] {
    const int64_t dims[] = {5};
    EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND), nullptr);
    EXPECT_NE(tests::recent_message().find("-1 dimensions"), std::string::npos);
    EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 2, nullptr, ACL_FORMAT_ND), nullptr);
    EXPECT_NE(tests::recent_message().find("2 dimensions"), std::string::npos);
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    expect_refused(aclSetTensorShape(desc, -2, dims), ACL_ERROR_INVALID_PARAM, "-2 dimensions");
    expect_refused(aclSetTensorShape(desc, 1, nullptr), ACL_ERROR_INVALID_PARAM, "1 dimensions");
    expect_refused(aclSetTensorShape(nullptr, 1, dims), ACL_ERROR_RT_PARAM_INVALID, "null");
    expect_refused(aclSetTensorFormat(nullptr, ACL_FORMAT_ND), ACL_ERROR_RT_PARAM_INVALID, "null");
    int64_t size = -1;
    EXPECT_EQ(aclGetTensorDescDimV2(desc, 0, &size), ACL_SUCCESS);
    EXPECT_EQ(size, 5);
    aclDestroyTensorDesc(desc);
  });
}

TEST(AnOperatorOfTheOldPath, IsNamedAndFailsItsDevice) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    expect_refused(execute("Frobnicate"), ACL_ERROR_OP_NOT_FOUND, "operator Frobnicate");
    EXPECT_NE(findings().find("missing-operator"), std::string::npos);
    EXPECT_NE(findings().find("Frobnicate"), std::string::npos);
    for (int again = 0; again < 2; ++again) {
      expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_OP_NOT_FOUND, "Frobnicate");
    }
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  });
}

TEST(AnOperatorOfTheOldPath, IsRefusedByTheSecondFormToo) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    expect_refused(execute_v2("Twiddle"), ACL_ERROR_OP_NOT_FOUND, "aclopCompileAndExecuteV2");
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_OP_NOT_FOUND, "Twiddle");
  });
}

TEST(AnOperatorWithoutAName, IsRefused) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    expect_refused(execute(nullptr), ACL_ERROR_OP_NOT_FOUND, "without a name");
    expect_refused(execute_v2(nullptr), ACL_ERROR_OP_NOT_FOUND, "without a name");
  });
}

TEST(Attributes, AreTakenBecauseNothingIsExecuted) {
  in_child({}, [] {
    aclopAttr* attr = aclopCreateAttr();
    ASSERT_NE(attr, nullptr);
    EXPECT_EQ(aclopSetAttrBool(attr, "a", 1), ACL_SUCCESS);
    EXPECT_EQ(aclopSetAttrInt(attr, "b", 2), ACL_SUCCESS);
    EXPECT_EQ(aclopSetAttrString(attr, "c", "text"), ACL_SUCCESS);
    aclopDestroyAttr(attr);
    char data[4] = {};
    aclDataBuffer* buffer = aclCreateDataBuffer(data, sizeof data);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
    EXPECT_EQ(finding_count(), 0);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
