#include "sim/opapi/value.h"

#include <ATen/ops/empty_strided.h>

namespace shmem_sim::opapi {
namespace {

std::vector<int64_t> without_ones(at::IntArrayRef sizes) {
  std::vector<int64_t> result;
  for (const int64_t size : sizes) {
    if (size != 1) {
      result.push_back(size);
    }
  }
  return result;
}

bool same_elements(at::IntArrayRef left, at::IntArrayRef right) {
  return left == right || without_ones(left) == without_ones(right);
}

template <class Value>
std::vector<Value> each_on_meta(const std::vector<Value>& values) {
  std::vector<Value> result;
  result.reserve(values.size());
  for (const Value& value : values) {
    result.push_back(on_meta(value));
  }
  return result;
}

}  // namespace

void Output::set(const at::Tensor& result) const {
  TORCH_CHECK(same_elements(result.sizes(), target_.sizes()),
              "the result has the shape ",
              result.sizes(),
              ", the output ",
              target_.sizes());
  TORCH_CHECK(c10::canCast(result.scalar_type(), target_.scalar_type()),
              "the result is of ",
              result.scalar_type(),
              ", which an output of ",
              target_.scalar_type(),
              " cannot hold");
  target_.copy_(result.sizes() == target_.sizes() ? result : result.reshape(target_.sizes()));
}

void SizedOutput::set(const at::Tensor& result) const {
  TORCH_CHECK(result.numel() <= view_->numel(),
              "the result has ",
              result.numel(),
              " elements, the output room for ",
              view_->numel());
  TORCH_CHECK(result.scalar_type() == view_->scalar_type(),
              "the result is of ",
              result.scalar_type(),
              ", the output of ",
              view_->scalar_type());
  const at::Tensor source = result.contiguous();
  const at::Tensor target = view_->as_strided(source.sizes(), source.strides());
  target.copy_(source);
  *view_ = target;
}

at::Tensor read_tensor(const aclTensor* handle) {
  const auto view = read_view(handle);
  TORCH_CHECK(view != nullptr, "a tensor must be given, not null");
  return *view;
}

std::optional<at::Tensor> read_maybe_tensor(const aclTensor* handle) {
  const auto view = read_view(handle);
  return view == nullptr ? std::nullopt : std::optional<at::Tensor>(*view);
}

at::Scalar read_scalar(const aclScalar* handle) {
  const auto scalar = read_maybe_scalar(handle);
  TORCH_CHECK(scalar.has_value(), "a scalar must be given, not null");
  return *scalar;
}

at::ScalarType read_type(int32_t type) {
  const auto known = scalar_type(static_cast<aclDataType>(type));
  TORCH_CHECK(known.has_value(), "aclDataType ", type, " is not modelled");
  return *known;
}

Output read_output(const aclTensor* handle) {
  return Output(read_tensor(handle));
}

std::optional<Output> read_maybe_output(const aclTensor* handle) {
  auto tensor = read_maybe_tensor(handle);
  return tensor ? std::optional<Output>(*std::move(tensor)) : std::nullopt;
}

std::vector<Output> read_outputs(const aclTensorList* handle) {
  std::vector<Output> result;
  for (at::Tensor& tensor : read_tensors(handle)) {
    TORCH_CHECK(tensor.defined(), "a list of outputs must not hold null");
    result.emplace_back(std::move(tensor));
  }
  return result;
}

SizedOutput read_sized_output(const aclTensor* handle) {
  auto view = read_view(handle);
  TORCH_CHECK(view != nullptr, "a tensor must be given, not null");
  return SizedOutput(std::move(view));
}

at::Tensor on_meta(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return tensor;
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

Output on_meta(const Output& output) {
  return Output(on_meta(output.tensor()));
}

std::vector<at::Tensor> on_meta(const std::vector<at::Tensor>& tensors) {
  return each_on_meta(tensors);
}

std::vector<Output> on_meta(const std::vector<Output>& outputs) {
  return each_on_meta(outputs);
}

}  // namespace shmem_sim::opapi
