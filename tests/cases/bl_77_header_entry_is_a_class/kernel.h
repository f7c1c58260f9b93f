#pragma once
#include <cstdint>
struct copy_rows_kernel { void Process(); };
