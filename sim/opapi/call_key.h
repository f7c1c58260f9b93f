#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/opapi/value.h"

// A description of a call's arguments without the contents of its tensors. Calls of one operator
// with equal keys come to the same result on meta tensors, so that one trial answers for all.

namespace shmem_sim::opapi {

class CallKey {
 public:
  template <class Value,
            std::enable_if_t<std::is_arithmetic_v<Value> || std::is_enum_v<Value>, int> = 0>
  void add(Value value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& word) {
    add(word.size());
    bytes_ += word;
  }
  void add(const at::Tensor& tensor);
  void add(const at::Scalar& scalar);
  void add(const Output& output) { add(output.tensor()); }
  void add(const SizedOutput&) {}  // its size is found out, not given
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) {
      add(*value);
    }
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.size());
    for (const Value& value : values) {
      add(value);
    }
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline void CallKey::add(const at::Tensor& tensor) {
  add(tensor.defined());
  if (!tensor.defined()) {
    return;
  }
  add(tensor.scalar_type());
  add(tensor.dim());
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    add(tensor.size(i));
    add(tensor.stride(i));
  }
}

inline void CallKey::add(const at::Scalar& scalar) {
  add(scalar.type());
  if (scalar.isComplex()) {
    const auto value = scalar.toComplexDouble();
    add(value.real());
    add(value.imag());
  } else if (scalar.isFloatingPoint()) {
    add(scalar.toDouble());
  } else {
    add(scalar.toLong());
  }
}

}  // namespace shmem_sim::opapi
