#include "sim/opapi/handle.h"

#include <ATen/ops/from_blob.h>

#include <string>

#include "sim/opapi/executor.h"

// The functions that make and destroy handles. Handles are plain heap objects: torch_npu destroys
// each once.

namespace shmem_sim::opapi {

at::ScalarType scalar_type(int acl_type) {
  switch (acl_type) {  // aclDataType
    case 0:
      return at::kFloat;
    case 1:
      return at::kHalf;
    case 2:
      return at::kChar;
    case 3:
      return at::kInt;
    case 4:
      return at::kByte;
    case 6:
      return at::kShort;
    case 7:
      return at::kUInt16;
    case 8:
      return at::kUInt32;
    case 9:
      return at::kLong;
    case 10:
      return at::kUInt64;
    case 11:
      return at::kDouble;
    case 12:
      return at::kBool;
    case 16:
      return at::kComplexFloat;
    case 17:
      return at::kComplexDouble;
    case 27:
      return at::kBFloat16;
    case 33:
      return at::kComplexHalf;
    case 35:
      return at::kFloat8_e5m2;
    case 36:
      return at::kFloat8_e4m3fn;
    default:
      TORCH_CHECK(false, "aclDataType ", acl_type, " is not modelled");
  }
}

at::Tensor tensor(T handle) {
  return handle == nullptr ? at::Tensor() : *handle->view;
}

std::optional<at::Tensor> optional_tensor(T handle) {
  return handle == nullptr || !handle->view->defined() ? std::nullopt
                                                       : std::optional<at::Tensor>(*handle->view);
}

std::vector<at::Tensor> tensors(TL handle) {
  std::vector<at::Tensor> result;
  for (const aclTensor& item : handle->tensors) {
    result.push_back(*item.view);
  }
  return result;
}

at::Scalar scalar(S handle) {
  TORCH_CHECK(handle != nullptr, "a scalar argument is null");
  return handle->value;
}

std::optional<at::Scalar> optional_scalar(S handle) {
  return handle == nullptr ? std::nullopt : std::optional<at::Scalar>(handle->value);
}

std::vector<int64_t> ints(IA handle) {
  return handle == nullptr ? std::vector<int64_t>() : handle->values;
}

namespace {

template <class Value>
at::Scalar read(const void* value) {
  return at::Scalar(*static_cast<const Value*>(value));
}

at::Scalar read_scalar(const void* value, int acl_type) {
  switch (scalar_type(acl_type)) {
    case at::kFloat:
      return read<float>(value);
    case at::kDouble:
      return read<double>(value);
    case at::kHalf:
      return at::Scalar(static_cast<float>(*static_cast<const at::Half*>(value)));
    case at::kBFloat16:
      return at::Scalar(static_cast<float>(*static_cast<const at::BFloat16*>(value)));
    case at::kLong:
      return read<int64_t>(value);
    case at::kInt:
      return read<int32_t>(value);
    case at::kShort:
      return read<int16_t>(value);
    case at::kChar:
      return read<int8_t>(value);
    case at::kByte:
      return read<uint8_t>(value);
    case at::kBool:
      return read<bool>(value);
    case at::kComplexFloat:
      return read<c10::complex<float>>(value);
    case at::kComplexDouble:
      return read<c10::complex<double>>(value);
    default:
      TORCH_CHECK(false, "a scalar of aclDataType ", acl_type, " is not modelled");
  }
}

// Runs `make`; an exception becomes the thread's error message and a null handle.
template <class Make>
auto guarded(const char* call, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& error) {
    remember_error(call, error.what());
    return nullptr;
  }
}

}  // namespace
}  // namespace shmem_sim::opapi

#define SHMEM_SIM_EXPORT __attribute__((visibility("default")))

extern "C" {

SHMEM_SIM_EXPORT aclTensor* aclCreateTensor(const int64_t* dims,
                                            uint64_t count,
                                            int type,
                                            const int64_t* strides,
                                            int64_t offset,
                                            int,
                                            const int64_t*,
                                            uint64_t,
                                            void* data) {
  return shmem_sim::opapi::guarded(__func__, [&] {
    const at::ScalarType element = shmem_sim::opapi::scalar_type(type);
    auto* first =
        static_cast<char*>(data) + offset * static_cast<int64_t>(at::elementSize(element));
    at::Tensor view = at::from_blob(first,
                                    at::IntArrayRef(dims, count),
                                    at::IntArrayRef(strides, count),
                                    at::TensorOptions().dtype(element).device(at::kCPU));
    return new aclTensor{std::make_shared<at::Tensor>(std::move(view))};
  });
}

SHMEM_SIM_EXPORT int aclDestroyTensor(const aclTensor* handle) {
  delete handle;
  return 0;
}

SHMEM_SIM_EXPORT aclScalar* aclCreateScalar(void* value, int type) {
  return shmem_sim::opapi::guarded(
      __func__, [&] { return new aclScalar{shmem_sim::opapi::read_scalar(value, type)}; });
}

SHMEM_SIM_EXPORT int aclDestroyScalar(const aclScalar* handle) {
  delete handle;
  return 0;
}

SHMEM_SIM_EXPORT aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) {
  return new aclIntArray{std::vector<int64_t>(values, values + count)};
}

SHMEM_SIM_EXPORT int aclDestroyIntArray(const aclIntArray* handle) {
  delete handle;
  return 0;
}

SHMEM_SIM_EXPORT aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t count) {
  return new aclBoolArray{std::vector<uint8_t>(values, values + count)};
}

SHMEM_SIM_EXPORT int aclDestroyBoolArray(const aclBoolArray* handle) {
  delete handle;
  return 0;
}

SHMEM_SIM_EXPORT aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count) {
  return new aclFloatArray{std::vector<float>(values, values + count)};
}

SHMEM_SIM_EXPORT int aclDestroyFloatArray(const aclFloatArray* handle) {
  delete handle;
  return 0;
}

// Takes the tensors over, as the vendor's list does.
SHMEM_SIM_EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* values,
                                                    uint64_t count) {
  auto* list = new aclTensorList;
  for (uint64_t i = 0; i < count; ++i) {
    list->tensors.push_back(values[i] == nullptr ? aclTensor{std::make_shared<at::Tensor>()}
                                                 : *values[i]);
    delete values[i];
  }
  return list;
}

SHMEM_SIM_EXPORT int aclDestroyTensorList(const aclTensorList* handle) {
  delete handle;
  return 0;
}

SHMEM_SIM_EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* values,
                                                    uint64_t count) {
  auto* list = new aclScalarList;
  for (uint64_t i = 0; i < count; ++i) {
    list->values.push_back(values[i]->value);
    delete values[i];
  }
  return list;
}

SHMEM_SIM_EXPORT int aclDestroyScalarList(const aclScalarList* handle) {
  delete handle;
  return 0;
}

// `dims` is allocated with new[] and belongs to the caller.
SHMEM_SIM_EXPORT int aclGetViewShape(const aclTensor* handle, int64_t** dims, uint64_t* count) {
  const at::Tensor& view = *handle->view;
  *count = static_cast<uint64_t>(view.dim());
  *dims = new int64_t[*count];
  for (uint64_t i = 0; i < *count; ++i) {
    (*dims)[i] = view.size(static_cast<int64_t>(i));
  }
  return 0;
}

}  // extern "C"
