#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "sim/opapi/device_tensor.h"

extern "C" {
int aclnnAddGetWorkspaceSize(
    const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnAdd(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnIndexSelectGetWorkspaceSize(
    const aclTensor*, int64_t, const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnIndexSelect(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnNonzeroGetWorkspaceSize(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnNonzero(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnMaskedSelectGetWorkspaceSize(
    const aclTensor*, const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnMaskedSelect(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnUnique2GetWorkspaceSize(const aclTensor*,
                                 bool,
                                 bool,
                                 bool,
                                 aclTensor*,
                                 aclTensor*,
                                 aclTensor*,
                                 uint64_t*,
                                 aclOpExecutor**);
int aclnnUnique2(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnInplaceUniformGetWorkspaceSize(
    aclTensor*, double, double, int64_t, int64_t, uint64_t*, aclOpExecutor**);
int aclnnInplaceUniform(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnInplaceNormalGetWorkspaceSize(
    aclTensor*, float, float, int64_t, int64_t, uint64_t*, aclOpExecutor**);
int aclnnInplaceNormal(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnDropoutGenMaskV2GetWorkspaceSize(
    const aclIntArray*, double, int64_t, int64_t, int32_t, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnDropoutGenMaskV2(void*, uint64_t, aclOpExecutor*, aclrtStream);
int aclnnDropoutDoMaskGetWorkspaceSize(
    const aclTensor*, const aclTensor*, double, aclTensor*, uint64_t*, aclOpExecutor**);
int aclnnDropoutDoMask(void*, uint64_t, aclOpExecutor*, aclrtStream);
}

namespace shmem_sim::opapi {
namespace {

// The operators whose signatures the facts about torch_npu 2.13.0 prove or name.
constexpr const char* kNames[] = {"Abs",
                                  "Ceil",
                                  "Cos",
                                  "Erf",
                                  "Exp",
                                  "Floor",
                                  "IsFinite",
                                  "Log",
                                  "LogicalNot",
                                  "Neg",
                                  "Reciprocal",
                                  "Relu",
                                  "Round",
                                  "Rsqrt",
                                  "Sigmoid",
                                  "Sign",
                                  "Silu",
                                  "Sin",
                                  "Sqrt",
                                  "Tanh",
                                  "Gelu",
                                  "BitwiseNot",
                                  "Max",
                                  "Min",
                                  "Div",
                                  "Mul",
                                  "Maximum",
                                  "Minimum",
                                  "EqTensor",
                                  "NeTensor",
                                  "GtTensor",
                                  "GeTensor",
                                  "LtTensor",
                                  "LeTensor",
                                  "LogicalAnd",
                                  "LogicalOr",
                                  "BitwiseAndTensor",
                                  "BitwiseOrTensor",
                                  "BitwiseXorTensor",
                                  "PowTensorTensor",
                                  "Dot",
                                  "RightShift",
                                  "Equal",
                                  "Embedding",
                                  "EqScalar",
                                  "NeScalar",
                                  "GtScalar",
                                  "LtScalar",
                                  "GeScalar",
                                  "LeScalar",
                                  "Divs",
                                  "Muls",
                                  "BitwiseAndScalar",
                                  "BitwiseOrScalar",
                                  "BitwiseXorScalar",
                                  "FloorDivides",
                                  "PowTensorScalar",
                                  "RemainderTensorScalar",
                                  "LeftShifts",
                                  "Add",
                                  "Sub",
                                  "Adds",
                                  "Subs",
                                  "Rsubs",
                                  "InplaceAdd",
                                  "InplaceAdds",
                                  "InplaceMul",
                                  "InplaceMuls",
                                  "InplaceDiv",
                                  "InplaceDivs",
                                  "InplaceSub",
                                  "InplaceSubs",
                                  "Addcmul",
                                  "Addcdiv",
                                  "Lerps",
                                  "DivMod",
                                  "Clamp",
                                  "InplaceZero",
                                  "InplaceOne",
                                  "InplaceFillScalar",
                                  "InplaceCopy",
                                  "Cast",
                                  "Arange",
                                  "Linspace",
                                  "Eye",
                                  "Randperm",
                                  "InplaceUniform",
                                  "InplaceNormal",
                                  "InplaceRandom",
                                  "InplaceBernoulliTensor",
                                  "DropoutGenMaskV2",
                                  "DropoutDoMask",
                                  "DropoutV3",
                                  "Any",
                                  "All",
                                  "Amax",
                                  "Amin",
                                  "ArgMax",
                                  "ArgMin",
                                  "MaxDim",
                                  "MinDim",
                                  "Mean",
                                  "ReduceSum",
                                  "Prod",
                                  "ProdDim",
                                  "Cumsum",
                                  "Std",
                                  "VarCorrection",
                                  "LinalgVectorNorm",
                                  "Histc",
                                  "Bincount",
                                  "Cat",
                                  "Stack",
                                  "Flip",
                                  "Roll",
                                  "Repeat",
                                  "RepeatInterleaveIntWithDim",
                                  "Tril",
                                  "Triu",
                                  "ConstantPadNd",
                                  "ForeachAddListV2",
                                  "IndexSelect",
                                  "Gather",
                                  "Scatter",
                                  "ScatterValue",
                                  "ScatterAdd",
                                  "Index",
                                  "IndexPutImpl",
                                  "InplaceMaskedFillScalar",
                                  "SWhere",
                                  "MaskedSelect",
                                  "Nonzero",
                                  "NonzeroV2",
                                  "Unique2",
                                  "Sort",
                                  "TopkV2",
                                  "Matmul",
                                  "BatchMatMul",
                                  "Addmm",
                                  "Convolution",
                                  "Softmax",
                                  "LogSoftmax",
                                  "LayerNorm",
                                  "GeluV2",
                                  "MseLoss",
                                  "NLLLoss",
                                  "IsClose",
                                  "ThresholdBackward",
                                  "GeluBackward",
                                  "GeluBackwardV2"};

class Operators : public testing::Test {
 protected:
  void SetUp() override { set_current_device(0); }
  void TearDown() override { reset_device(0); }

  static std::string message() {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "no message" : text;
  }

  // The first phase of out = x + alpha * y.
  int prepare_add(const aclTensor* x, const aclTensor* y, const aclScalar* alpha, aclTensor* out) {
    return aclnnAddGetWorkspaceSize(x, y, alpha, out, &workspace_, &executor_);
  }
  void add(const aclTensor* x, const aclTensor* y, const aclScalar* alpha, aclTensor* out) {
    ASSERT_EQ(prepare_add(x, y, alpha, out), 0) << message();
    ASSERT_EQ(aclnnAdd(nullptr, workspace_, executor_, nullptr), 0);
  }

  uint64_t workspace_ = 1;
  aclOpExecutor* executor_ = nullptr;
};

TEST_F(Operators, EveryNameOfTheFactsIsExportedWithBothPhases) {
  std::set<std::string> missing;
  for (const std::string name : kNames) {
    for (const std::string& symbol : {"aclnn" + name + "GetWorkspaceSize", "aclnn" + name}) {
      if (dlsym(RTLD_DEFAULT, symbol.c_str()) == nullptr) {
        missing.insert(symbol);
      }
    }
  }
  EXPECT_EQ(missing, std::set<std::string>{});
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "aclnnQr"), nullptr);  // so that torch_npu sees that it is missing
}

TEST_F(Operators, TheFirstPhaseTouchesNothingAndTheSecondRunsInStreamOrder) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<float> y({2}, {10, 20});
  const DeviceTensor<float> out({2}, {7, 7});
  const DeviceScalar two(2);
  ASSERT_EQ(prepare_add(x, y, two, out), 0);
  EXPECT_EQ(workspace_, 0u);
  EXPECT_EQ(out.values(), (std::vector<float>{7, 7}));
  enqueue(default_stream(0), "earlier work", [&] {
    x.data()[0] = 100;
    return Status{};
  });
  ASSERT_EQ(aclnnAdd(nullptr, 0, executor_, default_stream(0)), 0);
  add(out, out, two, out);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{360, 126}));
}

TEST_F(Operators, HandlesMayBeDestroyedBeforeTheWorkRuns) {
  std::atomic<bool> released = false;
  enqueue(default_stream(0), "hold", [&released] {
    while (!released) {
      std::this_thread::yield();
    }
    return Status{};
  });
  DeviceTensor<float> x({2}, {1, 2});
  DeviceTensor<float> out({2});
  {
    const DeviceScalar one(1);
    add(x, x, one, out);
  }
  x.destroy_handle();
  out.destroy_handle();
  released = true;
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{2, 4}));
}

TEST_F(Operators, AWrongShapeFailsInTheFirstPhase) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<float> y({3});
  const DeviceScalar one(1);
  EXPECT_NE(prepare_add(x, y, one, x), 0);
  EXPECT_EQ(executor_, nullptr);
  EXPECT_NE(message().find("aclnnAdd: The size of tensor a (2) must match"), std::string::npos);
  EXPECT_NE(prepare_add(x, x, one, y), 0);
  EXPECT_NE(message().find("the result has the shape [2], the output [3]"), std::string::npos);
  EXPECT_TRUE(synchronize_device(0).ok());
}

TEST_F(Operators, AWrongShapeFailsEveryTimeAlsoBetweenRightOnes) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<float> y({3});
  const DeviceScalar one(1);
  for (int i = 0; i < 3; ++i) {
    add(x, x, one, x);
    EXPECT_NE(prepare_add(x, y, one, x), 0);
    EXPECT_NE(prepare_add(x, x, one, y), 0);
  }
  EXPECT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(x.values(), (std::vector<float>{8, 16}));
}

TEST_F(Operators, DimensionsOfOneDoNotMakeAnotherShape) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<float> out({1, 2, 1});
  const DeviceScalar one(1);
  add(x, x, one, out);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(out.values(), (std::vector<float>{2, 4}));
}

TEST_F(Operators, AnOutputThatCannotHoldTheResultIsRefused) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<int32_t> out({2});
  const DeviceScalar one(1);
  EXPECT_NE(prepare_add(x, x, one, out), 0);
  EXPECT_NE(message().find("the result is of Float, which an output of Int cannot hold"),
            std::string::npos);
}

TEST_F(Operators, ANullArgumentIsNamedByItsPlace) {
  const DeviceTensor<float> x({2});
  const DeviceScalar one(1);
  EXPECT_NE(prepare_add(x, nullptr, one, x), 0);
  EXPECT_NE(message().find("argument 2: a tensor must be given"), std::string::npos);
  EXPECT_NE(prepare_add(x, x, nullptr, x), 0);
  EXPECT_NE(message().find("argument 3: a scalar must be given"), std::string::npos);
}

TEST_F(Operators, TheSecondPhaseNeedsAnExecutorAndALiveStream) {
  EXPECT_NE(aclnnAdd(nullptr, 0, nullptr, nullptr), 0);
  EXPECT_NE(message().find("no executor"), std::string::npos);
  const DeviceTensor<float> x({2});
  const DeviceScalar one(1);
  ASSERT_EQ(prepare_add(x, x, one, x), 0);
  int no_stream = 0;
  EXPECT_NE(aclnnAdd(nullptr, 0, executor_, &no_stream), 0);
  EXPECT_NE(message().find("the stream is not alive"), std::string::npos);
}

TEST_F(Operators, WorkThatFailsOnTheDeviceIsAFindingAndStays) {
  const DeviceTensor<float> x({2}, {1, 2});
  const DeviceTensor<int64_t> index({1}, {99});
  const DeviceTensor<float> out({1});
  const int64_t before = finding_count();
  ASSERT_EQ(aclnnIndexSelectGetWorkspaceSize(x, 0, index, out, &workspace_, &executor_), 0);
  ASSERT_EQ(aclnnIndexSelect(nullptr, 0, executor_, nullptr), 0);
  const Status status = synchronize_device(0);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message.find("aclnnIndexSelect: "), std::string::npos);
  EXPECT_EQ(finding_count(), before + 1);

  const DeviceScalar one(1);
  const DeviceTensor<float> later({2}, {5, 5});
  add(x, x, one, later);
  EXPECT_FALSE(synchronize_device(0).ok());
  EXPECT_EQ(later.values(), (std::vector<float>{5, 5}));
  reset_device(0);
  add(x, x, one, later);
  EXPECT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(later.values(), (std::vector<float>{2, 4}));
}

TEST_F(Operators, AShapeThatDependsOnDataIsKnownAfterTheWork) {
  const DeviceTensor<float> x({2, 2}, {0, 1, 1, 0});
  const DeviceTensor<int64_t> places({4, 2});
  ASSERT_EQ(aclnnNonzeroGetWorkspaceSize(x, places, &workspace_, &executor_), 0);
  EXPECT_EQ(view_shape(places), (std::vector<int64_t>{4, 2}));
  ASSERT_EQ(aclnnNonzero(nullptr, 0, executor_, nullptr), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(view_shape(places), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(places.values(), (std::vector<int64_t>{0, 1, 1, 0, 0, 0, 0, 0}));

  const DeviceTensor<bool> nowhere({2, 2});
  const DeviceTensor<float> chosen({4});
  ASSERT_EQ(aclnnMaskedSelectGetWorkspaceSize(x, nowhere, chosen, &workspace_, &executor_), 0);
  ASSERT_EQ(aclnnMaskedSelect(nullptr, 0, executor_, nullptr), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(view_shape(chosen), (std::vector<int64_t>{0}));
}

TEST_F(Operators, AnOutputTooSmallForTheDataFailsOnTheDevice) {
  const DeviceTensor<float> x({2, 2}, {1, 1, 1, 1});
  const DeviceTensor<int64_t> places({3, 2});
  ASSERT_EQ(aclnnNonzeroGetWorkspaceSize(x, places, &workspace_, &executor_), 0);
  ASSERT_EQ(aclnnNonzero(nullptr, 0, executor_, nullptr), 0);
  const Status status = synchronize_device(0);
  EXPECT_NE(status.message.find("the result has 8 elements, the output room for 6"),
            std::string::npos);
}

TEST_F(Operators, UniqueSetsTheOutputsThatAreAskedFor) {
  const DeviceTensor<int32_t> x({4}, {3, 1, 3, 2});
  const DeviceTensor<int32_t> values({4});
  const DeviceTensor<int64_t> inverse({4});
  const DeviceTensor<int64_t> counts({4}, {9, 9, 9, 9});
  ASSERT_EQ(aclnnUnique2GetWorkspaceSize(
                x, true, true, false, values, inverse, counts, &workspace_, &executor_),
            0);
  ASSERT_EQ(aclnnUnique2(nullptr, 0, executor_, nullptr), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  EXPECT_EQ(view_shape(values), (std::vector<int64_t>{3}));
  EXPECT_EQ(values.values(), (std::vector<int32_t>{1, 2, 3, 0}));
  EXPECT_EQ(inverse.values(), (std::vector<int64_t>{2, 0, 2, 1}));
  EXPECT_EQ(counts.values(), (std::vector<int64_t>{9, 9, 9, 9}));
}

class Randomness : public Operators {
 protected:
  std::vector<float> uniform(int64_t seed, int64_t offset) {
    const DeviceTensor<float> x({1000});
    EXPECT_EQ(aclnnInplaceUniformGetWorkspaceSize(x, 2, 3, seed, offset, &workspace_, &executor_),
              0);
    EXPECT_EQ(aclnnInplaceUniform(nullptr, 0, executor_, nullptr), 0);
    EXPECT_TRUE(synchronize_device(0).ok());
    return x.values();
  }
};

TEST_F(Randomness, SeedAndOffsetDecideTheValues) {
  const auto first = uniform(7, 0);
  EXPECT_EQ(uniform(7, 0), first);
  EXPECT_NE(uniform(7, 12), first);
  EXPECT_NE(uniform(8, 0), first);
  EXPECT_GE(*std::min_element(first.begin(), first.end()), 2);
  EXPECT_LT(*std::max_element(first.begin(), first.end()), 3);
}

TEST_F(Randomness, NormalTakesFloats) {
  const DeviceTensor<float> x({1000});
  ASSERT_EQ(aclnnInplaceNormalGetWorkspaceSize(x, 5.0f, 0.5f, 1, 0, &workspace_, &executor_), 0);
  ASSERT_EQ(aclnnInplaceNormal(nullptr, 0, executor_, nullptr), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  float sum = 0;
  for (const float value : x.values()) {
    EXPECT_NEAR(value, 5, 4);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 5, 0.1);
}

TEST_F(Randomness, ADropoutMaskDecidesWhatIsKept) {
  const int64_t sizes[] = {20};
  aclIntArray* shape = aclCreateIntArray(sizes, 1);
  const DeviceTensor<uint8_t> mask({16});
  const DeviceTensor<uint8_t> short_mask({2});
  ASSERT_EQ(aclnnDropoutGenMaskV2GetWorkspaceSize(
                shape, 0.5, 3, 0, ACL_FLOAT, mask, &workspace_, &executor_),
            0);
  ASSERT_EQ(aclnnDropoutGenMaskV2(nullptr, 0, executor_, nullptr), 0);
  aclDestroyIntArray(shape);
  const DeviceTensor<float> x({20}, std::vector<float>(20, 1));
  const DeviceTensor<float> out({20});
  ASSERT_EQ(aclnnDropoutDoMaskGetWorkspaceSize(x, mask, 0.5, out, &workspace_, &executor_), 0);
  ASSERT_EQ(aclnnDropoutDoMask(nullptr, 0, executor_, nullptr), 0);
  ASSERT_TRUE(synchronize_device(0).ok());
  for (size_t i = 0; i < 20; ++i) {
    const bool kept = (mask.values()[i / 8] >> (i % 8) & 1) != 0;
    EXPECT_EQ(out.values()[i], kept ? 2.0f : 0.0f) << i;
  }

  ASSERT_EQ(aclnnDropoutDoMaskGetWorkspaceSize(x, short_mask, 0.5, out, &workspace_, &executor_),
            0);
  ASSERT_EQ(aclnnDropoutDoMask(nullptr, 0, executor_, nullptr), 0);
  EXPECT_NE(synchronize_device(0).message.find("for 20 elements"), std::string::npos);
}

TEST_F(Operators, AThreadThatSynchronizesKeepsItsNumberOfAtenThreads) {
  at::set_num_threads(3);
  const DeviceTensor<float> x({2});
  const DeviceScalar one(1);
  for (int i = 0; i < 20; ++i) {  // some of them run on this thread
    add(x, x, one, x);
    ASSERT_TRUE(synchronize_device(0).ok());
  }
  EXPECT_EQ(at::get_num_threads(), 3);
}

}  // namespace
}  // namespace shmem_sim::opapi
