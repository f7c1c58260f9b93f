#pragma once

#include <cstdint>

typedef int32_t rtError_t;
constexpr rtError_t RT_ERROR_NONE = 0;
