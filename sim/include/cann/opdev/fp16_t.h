#pragma once

#include "shmem_sim/float16.h"

namespace op {

// A class of its own, not an alias: template instances over it are mangled as the vendor's are, so
// that a binding built here finds the symbols of a kernel library built there.
struct fp16_t
    : ::shmem_sim::Float16<::shmem_sim::HostHalf, ::shmem_sim::half_bits, ::shmem_sim::half_value> {
  using Float16::Float16;
};

}  // namespace op
