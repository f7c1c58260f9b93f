#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "sim/core/memory.h"

// For the tests of this module: what torch_npu does to call an operator, without torch_npu.

struct aclTensor;
struct aclScalar;
struct aclIntArray;
struct aclTensorList;
struct aclOpExecutor;

extern "C" {
aclTensor* aclCreateTensor(const int64_t* sizes,
                           uint64_t dims,
                           aclDataType type,
                           const int64_t* strides,
                           int64_t offset,
                           aclFormat format,
                           const int64_t* storage,
                           uint64_t storage_dims,
                           void* base);
aclScalar* aclCreateScalar(void* value, aclDataType type);
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count);
aclTensorList* aclCreateTensorList(const aclTensor* const* values, uint64_t count);
int aclDestroyTensor(const aclTensor* handle);
int aclDestroyScalar(const aclScalar* handle);
int aclDestroyIntArray(const aclIntArray* handle);
int aclDestroyTensorList(const aclTensorList* handle);
int aclGetViewShape(const aclTensor* handle, int64_t** dims, uint64_t* count);
}

namespace shmem_sim::opapi {

template <class Element>
constexpr aclDataType kTypeOf = ACL_DT_UNDEFINED;
template <>
inline constexpr aclDataType kTypeOf<float> = ACL_FLOAT;
template <>
inline constexpr aclDataType kTypeOf<int32_t> = ACL_INT32;
template <>
inline constexpr aclDataType kTypeOf<int64_t> = ACL_INT64;
template <>
inline constexpr aclDataType kTypeOf<uint8_t> = ACL_UINT8;
template <>
inline constexpr aclDataType kTypeOf<bool> = ACL_BOOL;

// A contiguous tensor in memory of device 0, and its handle.
template <class Element>
class DeviceTensor {
 public:
  explicit DeviceTensor(std::vector<int64_t> sizes, const std::vector<Element>& values = {})
      : sizes_(std::move(sizes)) {
    memory_ =
        static_cast<Element*>(allocate_device(0, std::max<size_t>(count(), 1) * sizeof(Element)));
    std::fill_n(memory_, count(), Element{});
    std::copy(values.begin(), values.end(), memory_);
    std::vector<int64_t> strides(sizes_.size(), 1);
    for (size_t dim = sizes_.size(); dim > 1; --dim) {
      strides[dim - 2] = strides[dim - 1] * sizes_[dim - 1];
    }
    const auto storage = static_cast<int64_t>(count());
    handle_ = aclCreateTensor(sizes_.data(),
                              sizes_.size(),
                              kTypeOf<Element>,
                              strides.data(),
                              0,
                              ACL_FORMAT_ND,
                              &storage,
                              1,
                              memory_);
  }
  ~DeviceTensor() {
    destroy_handle();
    free_device(memory_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  // An operator takes it as input or output.
  operator aclTensor*() const { return handle_; }  // NOLINT(google-explicit-constructor)
  std::vector<Element> values() const { return {memory_, memory_ + count()}; }
  Element* data() const { return memory_; }
  void destroy_handle() {
    if (handle_ != nullptr) {
      aclDestroyTensor(std::exchange(handle_, nullptr));
    }
  }

 private:
  size_t count() const {
    int64_t product = 1;
    for (const int64_t size : sizes_) {
      product *= size;
    }
    return static_cast<size_t>(product);
  }

  std::vector<int64_t> sizes_;
  Element* memory_ = nullptr;
  aclTensor* handle_ = nullptr;
};

// A scalar as torch_npu makes them.
class DeviceScalar {
 public:
  explicit DeviceScalar(double value) : handle_(aclCreateScalar(&value, ACL_DOUBLE)) {}
  ~DeviceScalar() { aclDestroyScalar(handle_); }
  DeviceScalar(const DeviceScalar&) = delete;
  DeviceScalar& operator=(const DeviceScalar&) = delete;
  operator const aclScalar*() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  aclScalar* handle_;
};

// The shape an operator has given its output; empty and a failed call look the same.
inline std::vector<int64_t> view_shape(const aclTensor* handle) {
  int64_t* dims = nullptr;
  uint64_t count = 0;
  if (aclGetViewShape(handle, &dims, &count) != 0) {
    return {};
  }
  std::vector<int64_t> result(dims, dims + count);
  delete[] dims;
  return result;
}

}  // namespace shmem_sim::opapi
