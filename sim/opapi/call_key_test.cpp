#include "sim/opapi/call_key.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <gtest/gtest.h>

namespace shmem_sim::opapi {
namespace {

template <class... Values>
std::string key_of(const Values&... values) {
  CallKey key;
  (key.add(values), ...);
  return key.bytes();
}

at::Tensor tensor(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  return at::empty(sizes, at::TensorOptions(type));
}

TEST(CallKey, IsTheSameForTheSameLayoutWhateverTheContent) {
  EXPECT_EQ(key_of(tensor({2, 3}), true, int64_t{4}), key_of(tensor({2, 3}), true, int64_t{4}));
}

TEST(CallKey, TellsLayoutsApart) {
  const at::Tensor plain = tensor({2, 3});
  EXPECT_NE(key_of(plain), key_of(tensor({3, 2})));
  EXPECT_NE(key_of(plain), key_of(tensor({2, 3, 1})));
  EXPECT_NE(key_of(plain), key_of(tensor({2, 3}, at::kHalf)));
  EXPECT_NE(key_of(plain), key_of(at::empty_strided({2, 3}, {1, 2})));
  EXPECT_NE(key_of(plain), key_of(at::Tensor()));
}

TEST(CallKey, TellsNumbersApart) {
  EXPECT_NE(key_of(at::Scalar(1)), key_of(at::Scalar(1.0)));
  EXPECT_NE(key_of(at::Scalar(true)), key_of(at::Scalar(1)));
  EXPECT_NE(key_of(at::Scalar(1.5)), key_of(at::Scalar(2.5)));
  EXPECT_NE(key_of(at::Scalar(c10::complex<double>(1, 2))),
            key_of(at::Scalar(c10::complex<double>(2, 1))));
}

TEST(CallKey, TellsListsAndAbsencesApart) {
  using Ints64 = std::vector<int64_t>;
  EXPECT_NE(key_of(Ints64{1}, Ints64{2}), key_of(Ints64{1, 2}, Ints64{}));
  EXPECT_NE(key_of(std::optional<at::Scalar>(), std::optional<at::Scalar>(1)),
            key_of(std::optional<at::Scalar>(1), std::optional<at::Scalar>()));
  EXPECT_NE(key_of(std::vector<at::Tensor>{tensor({1}), tensor({2})}),
            key_of(std::vector<at::Tensor>{tensor({2}), tensor({1})}));
  EXPECT_NE(key_of(Output(tensor({1}))), key_of(Output(tensor({2}))));
}

}  // namespace
}  // namespace shmem_sim::opapi
