#pragma once

#include "shmem_sim/float16.h"

namespace op {
using fp16_t = ::shmem_sim::Float16<::shmem_sim::HostHalf, ::shmem_sim::half_bits, ::shmem_sim::half_value>;
}  // namespace op
