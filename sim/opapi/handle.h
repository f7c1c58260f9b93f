#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_base.h"

// What torch_npu passes to an operator: opaque handles, made and destroyed by the aclCreate… and
// aclDestroy… functions of handle.cpp. Reading a handle here gives a value that lives on its own,
// because torch_npu may destroy the handle as soon as the second phase has returned.

struct aclTensor {
  // A view over the program's memory. Shared with queued work: an operator whose result size
  // depends on data replaces it when it runs (aclGetViewShape reads it afterwards).
  std::shared_ptr<at::Tensor> view;
  std::string defect;  // why no operator can take this tensor; empty when one can
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
  std::vector<std::unique_ptr<aclTensor>> tensors;  // null where the caller gave null
};
struct aclScalarList {
  std::vector<at::Scalar> values;
};

namespace shmem_sim::opapi {

// ATen's type for an aclDataType; empty for types that have no CPU kernels.
std::optional<at::ScalarType> scalar_type(aclDataType type);

// The readers. They throw c10::Error when the handle was never made or is destroyed, when the
// tensor has a defect, and when its elements do not all lie in one live allocation that the device
// can reach (which is also the finding "not-device-memory"). Null gives null, an
// empty list, or nothing.
std::shared_ptr<at::Tensor> read_view(const aclTensor* handle);
std::vector<at::Tensor> read_tensors(const aclTensorList* handle);
std::optional<at::Scalar> read_maybe_scalar(const aclScalar* handle);
std::vector<int64_t> read_ints(const aclIntArray* handle);

}  // namespace shmem_sim::opapi
