#pragma once

#include "shmem_sim/float16.h"

namespace op {

// A class of its own, not an alias: template instances over it are mangled as the vendor's are, so
// that a binding built here finds the symbols of a kernel library built there.
struct bfloat16 : ::shmem_sim::Float16<::shmem_sim::HostBfloat16,
                                       ::shmem_sim::bfloat16_bits,
                                       ::shmem_sim::bfloat16_value> {
  using Float16::Float16;
};

}  // namespace op
