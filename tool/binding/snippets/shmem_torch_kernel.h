#pragma once

// Entry functions of the kernel libraries, as their headers declare them.

#include <cstdint>

#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

// shmem-bind: declarations begin
// shmem-bind: declarations end
