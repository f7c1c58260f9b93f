#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tool/base/file_system.h"
#include "tool/base/result.h"

// What the machine has to give.

namespace shmem_bind {

std::map<std::string, std::string> whole_environment();

// A TCP port of the loopback device that was free a moment ago.
Result<int> free_port();

// Memory that programs can still get, by /proc/meminfo and the limit of the control group; nothing
// when neither can be read.
std::optional<int64_t> available_memory_mib(FileSystem& files);

}  // namespace shmem_bind
