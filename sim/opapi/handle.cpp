#include "sim/opapi/handle.h"

#include <ATen/ops/from_blob.h>

#include <mutex>
#include <unordered_map>
#include <utility>

#include "sim/core/finding.h"
#include "sim/core/memory.h"
#include "sim/opapi/executor.h"

namespace shmem_sim::opapi {
namespace {

// Owns the handles of one kind that are alive. Thread-safe: with TASK_QUEUE_ENABLE=2 torch_npu
// makes handles on its queue thread while others make theirs.
template <class Handle>
class Registry {
 public:
  static Registry& instance() {
    static auto* const registry = new Registry;  // torch_npu destroys handles until the very end
    return *registry;
  }

  Handle* add(std::unique_ptr<Handle> handle) {
    Handle* const key = handle.get();
    const std::scoped_lock lock(mutex_);
    alive_.emplace(key, std::move(handle));
    return key;
  }

  // Null when the handle is not alive.
  std::unique_ptr<Handle> take(const Handle* handle) {
    const std::scoped_lock lock(mutex_);
    auto node = alive_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  bool has(const Handle* handle) {
    const std::scoped_lock lock(mutex_);
    return alive_.contains(handle);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const Handle*, std::unique_ptr<Handle>> alive_;
};

template <class Handle>
Handle* add(Handle handle) {
  return Registry<Handle>::instance().add(std::make_unique<Handle>(std::move(handle)));
}

template <class Handle>
void require_alive(const Handle* handle) {
  TORCH_CHECK(Registry<Handle>::instance().has(handle),
              "the handle is destroyed or was never made");
}

// For aclDestroy…: null is allowed, as with free.
template <class Handle>
int destroy(const char* call, const Handle* handle) {
  if (handle == nullptr || Registry<Handle>::instance().take(handle) != nullptr) {
    return 0;
  }
  remember_error(call, "the handle is destroyed already or was never made");
  return kBadArguments;
}

// From the first element to behind the last, in bytes; strides are never negative.
size_t extent_bytes(const at::Tensor& view) {
  int64_t last = 0;
  for (int64_t dim = 0; dim < view.dim(); ++dim) {
    last += (view.size(dim) - 1) * view.stride(dim);
  }
  return static_cast<size_t>(last + 1) * view.element_size();
}

void require_reachable(const at::Tensor& view) {
  if (view.numel() == 0) {
    return;
  }
  const auto* first = static_cast<const char*>(view.const_data_ptr());
  const size_t bytes = extent_bytes(view);
  const auto region = find_region(first);
  if (region && first + bytes <= static_cast<const char*>(region->base) + region->bytes) {
    return;
  }
  const auto text =
      c10::str("a tensor of ",
               bytes,
               " bytes at ",
               static_cast<const void*>(first),
               region ? " ends behind its allocation"
                      : " is not in device memory: make it on the device or copy it there");
  report({region ? "out-of-range" : "not-device-memory", text});
  TORCH_CHECK(false, text);
}

const std::shared_ptr<at::Tensor>& checked_view(const aclTensor& handle) {
  TORCH_CHECK(handle.defect.empty(), handle.defect);
  require_reachable(*handle.view);
  return handle.view;
}

}  // namespace

std::optional<at::ScalarType> scalar_type(aclDataType type) {
  switch (type) {
    case ACL_FLOAT:
      return at::kFloat;
    case ACL_FLOAT16:
      return at::kHalf;
    case ACL_BF16:
      return at::kBFloat16;
    case ACL_DOUBLE:
      return at::kDouble;
    case ACL_INT8:
      return at::kChar;
    case ACL_INT16:
      return at::kShort;
    case ACL_INT32:
      return at::kInt;
    case ACL_INT64:
      return at::kLong;
    case ACL_UINT8:
      return at::kByte;
    case ACL_UINT16:
      return at::kUInt16;
    case ACL_UINT32:
      return at::kUInt32;
    case ACL_UINT64:
      return at::kUInt64;
    case ACL_BOOL:
      return at::kBool;
    case ACL_COMPLEX32:
      return at::kComplexHalf;
    case ACL_COMPLEX64:
      return at::kComplexFloat;
    case ACL_COMPLEX128:
      return at::kComplexDouble;
    case ACL_FLOAT8_E5M2:
      return at::kFloat8_e5m2;
    case ACL_FLOAT8_E4M3FN:
      return at::kFloat8_e4m3fn;
    default:
      return std::nullopt;
  }
}

std::shared_ptr<at::Tensor> read_view(const aclTensor* handle) {
  if (handle == nullptr) {
    return nullptr;
  }
  require_alive(handle);
  return checked_view(*handle);
}

std::vector<at::Tensor> read_tensors(const aclTensorList* handle) {
  std::vector<at::Tensor> result;
  if (handle != nullptr) {
    require_alive(handle);
    for (const auto& item : handle->tensors) {
      result.push_back(item == nullptr ? at::Tensor() : *checked_view(*item));
    }
  }
  return result;
}

std::optional<at::Scalar> read_maybe_scalar(const aclScalar* handle) {
  if (handle == nullptr) {
    return std::nullopt;
  }
  require_alive(handle);
  return handle->value;
}

std::vector<int64_t> read_ints(const aclIntArray* handle) {
  if (handle == nullptr) {
    return {};
  }
  require_alive(handle);
  return handle->values;
}

namespace {

// The formats whose data is an ordinary strided array.
bool is_plain(aclFormat format) {
  switch (format) {
    case ACL_FORMAT_UNDEFINED:
    case ACL_FORMAT_NCHW:
    case ACL_FORMAT_NHWC:
    case ACL_FORMAT_ND:
    case ACL_FORMAT_HWCN:
    case ACL_FORMAT_NDHWC:
    case ACL_FORMAT_NCDHW:
    case ACL_FORMAT_NC:
    case ACL_FORMAT_NCL:
      return true;
    default:
      return false;
  }
}

struct Description {
  at::IntArrayRef sizes;
  at::IntArrayRef strides;
  at::IntArrayRef storage;
  int64_t offset;  // elements
  aclDataType type;
  aclFormat format;
  void* base;
};

// Behind the last element, counted from the storage's start.
int64_t elements_needed(const Description& wanted) {
  int64_t last = wanted.offset;
  for (size_t dim = 0; dim < wanted.sizes.size(); ++dim) {
    if (wanted.sizes[dim] == 0) {
      return 0;
    }
    last += (wanted.sizes[dim] - 1) * wanted.strides[dim];
  }
  return last + 1;
}

std::string defect_of(const Description& wanted) {
  if (!scalar_type(wanted.type)) {
    return c10::str("a tensor of aclDataType ", static_cast<int>(wanted.type), " is not modelled");
  }
  if (!is_plain(wanted.format)) {
    return c10::str("the private format ",
                    static_cast<int>(wanted.format),
                    " is not modelled: use ACL_FORMAT_ND");
  }
  int64_t held = 1;
  for (const int64_t size : wanted.storage) {
    held *= size;
  }
  const int64_t needed = elements_needed(wanted);
  if (needed > 0 && wanted.base == nullptr) {
    return "a tensor with elements has no memory";
  }
  if (needed > held) {
    return c10::str("a view of ",
                    wanted.sizes,
                    " with strides ",
                    wanted.strides,
                    " at offset ",
                    wanted.offset,
                    " leaves its storage of ",
                    held,
                    " elements");
  }
  return {};
}

aclTensor describe(const Description& wanted) {
  aclTensor result{nullptr, defect_of(wanted)};
  if (result.defect.empty()) {
    const at::ScalarType type = *scalar_type(wanted.type);
    auto* const first = static_cast<char*>(wanted.base) +
                        wanted.offset * static_cast<int64_t>(at::elementSize(type));
    result.view = std::make_shared<at::Tensor>(
        at::from_blob(first, wanted.sizes, wanted.strides, at::TensorOptions().dtype(type)));
  }
  return result;
}

template <class Value>
at::Scalar load(const void* value) {
  return at::Scalar(*static_cast<const Value*>(value));
}

std::optional<at::Scalar> load_scalar(const void* value, aclDataType type) {
  switch (type) {
    case ACL_FLOAT:
      return load<float>(value);
    case ACL_DOUBLE:
      return load<double>(value);
    case ACL_FLOAT16:
      return load<at::Half>(value);
    case ACL_BF16:
      return load<at::BFloat16>(value);
    case ACL_INT64:
      return load<int64_t>(value);
    case ACL_INT32:
      return load<int32_t>(value);
    case ACL_INT16:
      return load<int16_t>(value);
    case ACL_INT8:
      return load<int8_t>(value);
    case ACL_UINT8:
      return load<uint8_t>(value);
    case ACL_BOOL:
      return load<bool>(value);
    case ACL_COMPLEX64:
      return load<c10::complex<float>>(value);
    case ACL_COMPLEX128:
      return load<c10::complex<double>>(value);
    default:
      return std::nullopt;
  }
}

}  // namespace

// The vendor's C functions. Each create… gives null and sets the recent error message when it
// cannot; a list takes the handles it is made of over.
extern "C" {

SHMEM_SIM_EXPORT aclTensor* aclCreateTensor(const int64_t* sizes,
                                            uint64_t dims,
                                            aclDataType type,
                                            const int64_t* strides,
                                            int64_t offset,
                                            aclFormat format,
                                            const int64_t* storage,
                                            uint64_t storage_dims,
                                            void* base) {
  return add(describe(
      {{sizes, dims}, {strides, dims}, {storage, storage_dims}, offset, type, format, base}));
}

SHMEM_SIM_EXPORT int aclDestroyTensor(const aclTensor* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclScalar* aclCreateScalar(void* value, aclDataType type) {
  const auto scalar = load_scalar(value, type);
  if (!scalar) {
    remember_error(
        __func__, c10::str("a scalar of aclDataType ", static_cast<int>(type), " is not modelled"));
    return nullptr;
  }
  return add(aclScalar{*scalar});
}

SHMEM_SIM_EXPORT int aclDestroyScalar(const aclScalar* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) {
  return add(aclIntArray{{values, values + count}});
}

SHMEM_SIM_EXPORT int aclDestroyIntArray(const aclIntArray* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t count) {
  return add(aclBoolArray{{values, values + count}});
}

SHMEM_SIM_EXPORT int aclDestroyBoolArray(const aclBoolArray* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count) {
  return add(aclFloatArray{{values, values + count}});
}

SHMEM_SIM_EXPORT int aclDestroyFloatArray(const aclFloatArray* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* values,
                                                    uint64_t count) {
  aclTensorList list;
  for (uint64_t i = 0; i < count; ++i) {
    auto owned = Registry<aclTensor>::instance().take(values[i]);
    if (owned == nullptr && values[i] != nullptr) {
      remember_error(__func__, c10::str("tensor ", i, " is destroyed or was never made"));
      return nullptr;
    }
    list.tensors.push_back(std::move(owned));
  }
  return add(std::move(list));
}

SHMEM_SIM_EXPORT int aclDestroyTensorList(const aclTensorList* handle) {
  return destroy(__func__, handle);
}

SHMEM_SIM_EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* values,
                                                    uint64_t count) {
  aclScalarList list;
  for (uint64_t i = 0; i < count; ++i) {
    const auto owned = Registry<aclScalar>::instance().take(values[i]);
    if (owned == nullptr) {
      remember_error(__func__, c10::str("scalar ", i, " is destroyed or was never made"));
      return nullptr;
    }
    list.values.push_back(owned->value);
  }
  return add(std::move(list));
}

SHMEM_SIM_EXPORT int aclDestroyScalarList(const aclScalarList* handle) {
  return destroy(__func__, handle);
}

// `dims` is allocated with new[] and belongs to the caller (torch_npu deletes it). Right after the
// stream is synchronized: an operator whose result size depends on data sets the shape as it runs.
SHMEM_SIM_EXPORT int aclGetViewShape(const aclTensor* handle, int64_t** dims, uint64_t* count) {
  if (handle == nullptr || !Registry<aclTensor>::instance().has(handle) ||
      !handle->defect.empty()) {
    remember_error(__func__, "the tensor is destroyed or was never made");
    return kBadArguments;
  }
  const at::IntArrayRef sizes = handle->view->sizes();
  *count = sizes.size();
  *dims = new int64_t[sizes.size()];
  std::copy(sizes.begin(), sizes.end(), *dims);
  return 0;
}

}  // extern "C"
}  // namespace shmem_sim::opapi
