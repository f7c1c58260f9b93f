#pragma once

// Tensors in the unified buffer and in global memory. Included by kernel_operator.h.

#include <cstdint>
#include <cstring>

#include "shmem_sim/language.h"
#include "shmem_sim/runtime.h"

namespace AscendC {

namespace sim = ::shmem_sim::ascendc;

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM,
  SPM,
  MAX
};
using QuePosition = TPosition;

struct TBuffAddr {
  uint32_t dataLen = 0;     // bytes
  uint32_t bufferAddr = 0;  // offset in the unified buffer
  uint8_t logicPos = 0;
};

template <class T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t offset, uint32_t elements) {
    address_.logicPos = static_cast<uint8_t>(position);
    address_.bufferAddr = offset;
    address_.dataLen = elements * static_cast<uint32_t>(sizeof(T));
  }

  __ubuf__ T* GetPhyAddr() const { return static_cast<T*>(sim::ub_address(address_.bufferAddr)); }
  __ubuf__ T* GetPhyAddr(uint32_t element) const { return GetPhyAddr() + element; }
  uint32_t GetSize() const { return address_.dataLen / static_cast<uint32_t>(sizeof(T)); }
  uint32_t GetLength() const { return address_.dataLen; }
  T GetValue(uint32_t element, sim::Here here = {}) const {
    return *At(element, here.in("LocalTensor::GetValue"));
  }
  void SetValue(uint32_t element, T value, sim::Here here = {}) const {
    *At(element, here.in("LocalTensor::SetValue")) = value;
  }
  T& operator()(uint32_t element) const { return *At(element, "LocalTensor::operator()"); }
  LocalTensor operator[](uint32_t element) const {
    LocalTensor rest = *this;
    const auto bytes = element * static_cast<uint32_t>(sizeof(T));
    rest.address_.bufferAddr += bytes;
    rest.address_.dataLen -= bytes < address_.dataLen ? bytes : address_.dataLen;
    return rest;
  }
  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other;
    other.address_ = address_;
    return other;
  }

  TBuffAddr address_;

 private:
  T* At(uint32_t element, const sim::Site& site) const {
    return static_cast<T*>(
        sim::ub_range(address_.bufferAddr + uint64_t{element} * sizeof(T), sizeof(T), site));
  }
};

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(__gm__ T* address, uint64_t elements = 0) {
    address_ = address;
    elements_ = elements;
  }
  __gm__ T* GetPhyAddr(uint64_t element = 0) const { return address_ + element; }
  uint64_t GetSize() const { return elements_; }

  // Scalar accesses: see load_scalar and store_scalar.
  T GetValue(uint64_t element, sim::Here here = {}) const {
    const uint64_t bits =
        sim::load_scalar(address_ + element, sizeof(T), here.in("GlobalTensor::GetValue"));
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
  void SetValue(uint64_t element, T value, sim::Here here = {}) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    sim::store_scalar(address_ + element, bits, sizeof(T), here.in("GlobalTensor::SetValue"));
  }
  GlobalTensor operator[](uint64_t element) const {
    GlobalTensor rest;
    rest.address_ = address_ + element;
    rest.elements_ = elements_ > element ? elements_ - element : 0;
    return rest;
  }

 private:
  __gm__ T* address_ = nullptr;
  uint64_t elements_ = 0;
};

enum class CacheLine { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// The scalar data cache is coherent here, so there is nothing to clean; loops that poll a word call
// it.
template <class T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_ALL>
__inline__ void DataCacheCleanAndInvalid(const GlobalTensor<T>&, sim::Here here = {}) {
  sim::poll(nullptr, 0, here.in("DataCacheCleanAndInvalid"));
}
template <class T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_ALL>
__inline__ void DataCacheCleanAndInvalid(const LocalTensor<T>&, sim::Here here = {}) {
  sim::poll(nullptr, 0, here.in("DataCacheCleanAndInvalid"));
}

}  // namespace AscendC
