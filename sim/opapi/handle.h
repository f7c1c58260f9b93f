#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

// What torch_npu passes to an operator. A tensor is a view over device memory (which is host memory
// here); the handle may be destroyed as soon as the second phase has returned, so everything that
// runs later keeps the view itself.

struct aclTensor {
  // Shared with queued work: operators whose result size depends on data set the view when they
  // run.
  std::shared_ptr<at::Tensor> view;
};
struct aclScalar {
  at::Scalar value;
};
struct aclIntArray {
  std::vector<int64_t> values;
};
struct aclBoolArray {
  std::vector<uint8_t> values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclTensorList {
  std::vector<aclTensor> tensors;
};
struct aclScalarList {
  std::vector<at::Scalar> values;
};

namespace shmem_sim::opapi {

// Parameter types of the operator tables.
using T = const aclTensor*;
using S = const aclScalar*;
using IA = const aclIntArray*;
using TL = const aclTensorList*;

// ATen's type for an aclDataType number. Throws for types that are not modelled.
at::ScalarType scalar_type(int acl_type);

// The tensor behind a handle; undefined for null.
at::Tensor tensor(T handle);
std::optional<at::Tensor> optional_tensor(T handle);
std::vector<at::Tensor> tensors(TL handle);
at::Scalar scalar(S handle);
std::optional<at::Scalar> optional_scalar(S handle);
std::vector<int64_t> ints(IA handle);

}  // namespace shmem_sim::opapi
