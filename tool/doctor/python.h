#pragma once

#include <string>

#include "tool/base/process.h"
#include "tool/build/target.h"
#include "tool/doctor/finding.h"

namespace shmem_bind::doctor {

// Python, torch and torch_npu, and whether torch_npu starts on the target; then whether all of them
// agree with the compiler about the ABI of std::string. `is_complete`: CANN and SHMEM were found,
// so that torch_npu can be started. Takes seconds.
Findings look_at_python(const build::Target& target,
                        bool is_complete,
                        const std::string& compiler_abi,
                        ProcessRunner& runner);

}  // namespace shmem_bind::doctor
