#pragma once

#include "shmem_sim/float16.h"

namespace op {
using bfloat16 = ::shmem_sim::Float16<::shmem_sim::HostBfloat16, ::shmem_sim::bfloat16_bits, ::shmem_sim::bfloat16_value>;
}  // namespace op
