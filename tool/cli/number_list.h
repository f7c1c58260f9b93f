#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tool/base/result.h"

namespace shmem_bind::cli {

// Reads positive numbers and ranges, both ends included: "1,2,5..9". A failure names the part that
// is wrong and the way out. At most 100000 numbers.
Result<std::vector<int64_t>> parse_number_list(std::string_view text);

}  // namespace shmem_bind::cli
