#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

// 16-bit floating point storage with conversions, under the names that host code (op::) and device
// code use. Device and host names are different types on purpose, as in the vendor's toolkit.

namespace shmem_sim {

inline float float_from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// IEEE 754 binary16, round to nearest even.
inline uint16_t half_bits(float value) {
  const uint32_t bits = bits_of(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u);
  }
  if (magnitude >= 0x477ff000u) {  // rounds to 65536 or more
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {  // subnormal or zero
    const float scaled = float_from_bits(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | ((bits_of(scaled) - 0x3f000000u) & 0xffffu));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float half_value(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    return float_from_bits(sign | 0x7f800000u | (magnitude << 13));
  }
  if (magnitude < 0x0400u) {
    const float value = static_cast<float>(magnitude) / 16777216.0f;
    return sign != 0 ? -value : value;
  }
  return float_from_bits(sign | ((magnitude << 13) + 0x38000000u));
}

inline uint16_t bfloat16_bits(float value) {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  }
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float bfloat16_value(uint16_t bits) {
  return float_from_bits(static_cast<uint32_t>(bits) << 16);
}

template <class Tag, uint16_t (*ToBits)(float), float (*ToFloat)(uint16_t)>
struct Float16 {
  uint16_t val = 0;

  Float16() = default;
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Float16(Number value) : val(ToBits(static_cast<float>(value))) {}
  operator float() const { return ToFloat(val); }

  Float16& operator+=(float value) { return *this = Float16(static_cast<float>(*this) + value); }
  Float16& operator-=(float value) { return *this = Float16(static_cast<float>(*this) - value); }
  Float16& operator*=(float value) { return *this = Float16(static_cast<float>(*this) * value); }
  Float16& operator/=(float value) { return *this = Float16(static_cast<float>(*this) / value); }
};

struct DeviceHalf;
struct DeviceBfloat16;
struct HostHalf;
struct HostBfloat16;

}  // namespace shmem_sim
