#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/opapi/handle.h"

// What the function behind an operator receives: ATen values in place of the vendor's handles. Each
// parameter type P has an Argument<P>, which names the C parameter that stands for it and reads its
// value from there.

namespace shmem_sim::opapi {

// An output, also one that is read first (the `self` of an in-place operator).
class Output {
 public:
  explicit Output(at::Tensor target) : target_(std::move(target)) {}

  // Writes the result. The shapes may differ in dimensions of size 1 only, and the result's dtype
  // must be one that may be cast to the output's; throws c10::Error otherwise.
  void set(const at::Tensor& result) const;
  // For operators that write in place.
  const at::Tensor& tensor() const { return target_; }

 private:
  at::Tensor target_;
};

// An output whose shape depends on data. It comes with the largest possible size; what is set
// stands at its start, and aclGetViewShape gives the shape from then on.
class SizedOutput {
 public:
  explicit SizedOutput(std::shared_ptr<at::Tensor> view) : view_(std::move(view)) {}
  void set(const at::Tensor& result) const;

 private:
  std::shared_ptr<at::Tensor> view_;
};

// The parameter types of operators; bool, integers and floating point stand for themselves.
using In = const at::Tensor&;
using MaybeIn = const std::optional<at::Tensor>&;  // null: not given
using Ins = const std::vector<at::Tensor>&;        // undefined where the list holds null
using Number = const at::Scalar&;
using MaybeNumber = const std::optional<at::Scalar>&;
using Ints = const std::vector<int64_t>&;  // null: empty
using Type = at::ScalarType;               // an aclDataType
using Out = const Output&;
using MaybeOut = const std::optional<Output>&;
using Outs = const std::vector<Output>&;
using SizedOut = const SizedOutput&;

// The readers throw c10::Error when a handle that must be given is null.
at::Tensor read_tensor(const aclTensor* handle);
std::optional<at::Tensor> read_maybe_tensor(const aclTensor* handle);
at::Scalar read_scalar(const aclScalar* handle);
at::ScalarType read_type(int32_t type);
Output read_output(const aclTensor* handle);
std::optional<Output> read_maybe_output(const aclTensor* handle);
std::vector<Output> read_outputs(const aclTensorList* handle);
SizedOutput read_sized_output(const aclTensor* handle);

// The meta twin of a value: a tensor of the same layout without data, for the trial of the first
// phase. Everything else is its own twin.
template <class Value>
const Value& on_meta(const Value& value) {
  return value;
}
at::Tensor on_meta(const at::Tensor& tensor);
Output on_meta(const Output& output);
template <class Value>
std::optional<Value> on_meta(const std::optional<Value>& value) {
  return value ? std::optional<Value>(on_meta(*value)) : std::nullopt;
}
std::vector<at::Tensor> on_meta(const std::vector<at::Tensor>& tensors);
std::vector<Output> on_meta(const std::vector<Output>& outputs);

template <class Parameter>
struct Argument {
  static_assert(std::is_arithmetic_v<Parameter>);
  using Handle = Parameter;
  static Parameter read(Handle value) { return value; }
};
template <auto Reader>
struct ReadBy;
template <class Value, class From, Value (*Reader)(From)>
struct ReadBy<Reader> {
  using Handle = From;
  static Value read(From handle) { return Reader(handle); }
};
template <>
struct Argument<In> : ReadBy<read_tensor> {};
template <>
struct Argument<MaybeIn> : ReadBy<read_maybe_tensor> {};
template <>
struct Argument<Ins> : ReadBy<read_tensors> {};
template <>
struct Argument<Number> : ReadBy<read_scalar> {};
template <>
struct Argument<MaybeNumber> : ReadBy<read_maybe_scalar> {};
template <>
struct Argument<Ints> : ReadBy<read_ints> {};
template <>
struct Argument<Type> : ReadBy<read_type> {};
template <>
struct Argument<Out> : ReadBy<read_output> {};
template <>
struct Argument<MaybeOut> : ReadBy<read_maybe_output> {};
template <>
struct Argument<Outs> : ReadBy<read_outputs> {};
template <>
struct Argument<SizedOut> : ReadBy<read_sized_output> {};

// A word such as "tanh": the vendor's char*, copied because the caller's may be gone.
template <>
struct Argument<const std::string&> {
  using Handle = const char*;
  static std::string read(Handle word) {
    TORCH_CHECK(word != nullptr, "the word is null");
    return word;
  }
};

}  // namespace shmem_sim::opapi
