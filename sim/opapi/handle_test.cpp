#include <gtest/gtest.h>

#include <string>

#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "sim/opapi/device_tensor.h"

extern "C" {
int aclnnInplaceZeroGetWorkspaceSize(aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnInplaceZero(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnCatGetWorkspaceSize(const aclTensorList*, int64_t, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnCat(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnFlipGetWorkspaceSize(
    const aclTensor*, const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnFlip(void*, uint64_t, aclOpExecutor*, aclrtStream);
}

namespace shmem_sim::opapi {
namespace {

class Handles : public testing::Test {
 protected:
  void SetUp() override { set_current_device(0); }

  // What the first phase says of a tensor that is to be zeroed; empty when it takes it.
  static std::string refusal(aclTensor* handle) {
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    if (aclnnInplaceZeroGetWorkspaceSize(handle, &workspace, &executor) == 0) {
      EXPECT_EQ(aclnnInplaceZero(nullptr, 0, executor, nullptr), 0);
      EXPECT_TRUE(synchronize_device(0).ok());
      return {};
    }
    EXPECT_EQ(executor, nullptr);
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "no message" : text;
  }

  static aclTensor* make(std::vector<int64_t> sizes,
                         std::vector<int64_t> strides,
                         int64_t offset,
                         int64_t held,
                         void* base,
                         aclDataType type = ACL_FLOAT,
                         aclFormat format = ACL_FORMAT_ND) {
    return aclCreateTensor(
        sizes.data(), sizes.size(), type, strides.data(), offset, format, &held, 1, base);
  }
};

TEST_F(Handles, AViewWithOffsetAndStridesWritesOnlyItsElements) {
  const DeviceTensor<float> memory({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  aclTensor* view = make({2, 2}, {4, 2}, 1, 8, memory.data());
  EXPECT_EQ(refusal(view), "");
  EXPECT_EQ(memory.values(), (std::vector<float>{1, 0, 3, 0, 5, 0, 7, 0}));
  EXPECT_EQ(aclDestroyTensor(view), 0);
}

TEST_F(Handles, AViewThatLeavesItsStorageIsRefused) {
  const DeviceTensor<float> memory({8});
  aclTensor* view = make({2, 2}, {4, 2}, 2, 8, memory.data());
  EXPECT_NE(refusal(view).find("leaves its storage of 8 elements"), std::string::npos);
  aclDestroyTensor(view);
}

TEST_F(Handles, AViewThatLeavesItsAllocationIsRefusedAndAFinding) {
  const DeviceTensor<float> memory({8});
  const int64_t before = finding_count();
  aclTensor* view = make({1 << 16}, {1}, 0, 1 << 16, memory.data());
  EXPECT_NE(refusal(view).find("argument 1: "), std::string::npos);
  EXPECT_EQ(finding_count(), before + 1);
  aclDestroyTensor(view);
}

TEST_F(Handles, HostMemoryIsRefusedAndAFinding) {
  std::vector<float> host(8, 1);
  const int64_t before = finding_count();
  aclTensor* view = make({8}, {1}, 0, 8, host.data());
  EXPECT_NE(refusal(view).find("not in device memory"), std::string::npos);
  EXPECT_EQ(host, std::vector<float>(8, 1));
  EXPECT_EQ(finding_count(), before + 1);
  aclDestroyTensor(view);
}

TEST_F(Handles, ATensorWithoutElementsNeedsNoMemory) {
  aclTensor* view = make({0, 3}, {3, 1}, 0, 0, nullptr);
  EXPECT_EQ(refusal(view), "");
  aclDestroyTensor(view);
  view = make({3}, {1}, 0, 3, nullptr);
  EXPECT_NE(refusal(view).find("has no memory"), std::string::npos);
  aclDestroyTensor(view);
}

TEST_F(Handles, WhatIsNotModelledIsNamed) {
  const DeviceTensor<float> memory({8});
  aclTensor* view = make({8}, {1}, 0, 8, memory.data(), ACL_HIFLOAT8);
  EXPECT_NE(refusal(view).find("aclDataType 34 is not modelled"), std::string::npos);
  aclDestroyTensor(view);
  view = make({8}, {1}, 0, 8, memory.data(), ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ);
  EXPECT_NE(refusal(view).find("private format 29 is not modelled"), std::string::npos);
  aclDestroyTensor(view);
  float value = 1;
  EXPECT_EQ(aclCreateScalar(&value, ACL_STRING), nullptr);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("aclCreateScalar"), std::string::npos);
}

TEST_F(Handles, NullAndDestroyedHandlesAreRefused) {
  EXPECT_NE(refusal(nullptr).find("must be given, not null"), std::string::npos);
  const DeviceTensor<float> memory({8});
  aclTensor* view = make({8}, {1}, 0, 8, memory.data());
  EXPECT_EQ(aclDestroyTensor(view), 0);
  EXPECT_NE(refusal(view).find("destroyed or was never made"), std::string::npos);
  EXPECT_NE(aclDestroyTensor(view), 0);
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
}

TEST_F(Handles, AListTakesItsTensorsOver) {
  DeviceTensor<float> left({2}, {1, 2});
  DeviceTensor<float> right({2}, {3, 4});
  const DeviceTensor<float> out({4});
  const aclTensor* const members[] = {left, right};
  aclTensorList* list = aclCreateTensorList(members, 2);
  ASSERT_NE(list, nullptr);
  EXPECT_NE(aclDestroyTensor(left), 0);
  EXPECT_EQ(aclCreateTensorList(members, 2), nullptr);

  uint64_t workspace = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnCatGetWorkspaceSize(list, 0, out, &workspace, &executor), 0);
  ASSERT_EQ(aclnnCat(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(Handles, AMissingListOfIntegersIsAnEmptyOne) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<float> out({2});
  uint64_t workspace = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnFlipGetWorkspaceSize(x, nullptr, out, &workspace, &executor), 0);
  EXPECT_EQ(aclnnFlip(nullptr, 0, executor, nullptr), 0);
  EXPECT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{1, 2}));
  const int64_t dims[] = {0};
  aclIntArray* array = aclCreateIntArray(dims, 1);
  EXPECT_EQ(aclnnFlipGetWorkspaceSize(x, array, out, &workspace, &executor), 0);
  EXPECT_EQ(aclDestroyIntArray(array), 0);
  EXPECT_EQ(aclnnFlip(nullptr, 0, executor, nullptr), 0);
  EXPECT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{2, 1}));
}

}  // namespace
}  // namespace shmem_sim::opapi
