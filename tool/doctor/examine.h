#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tool/base/file_system.h"
#include "tool/base/process.h"
#include "tool/base/result.h"
#include "tool/build/target.h"
#include "tool/doctor/finding.h"

// What a binding needs of the machine it is built and verified on.

namespace shmem_bind::doctor {

// The machine, asked beforehand.
struct Host {
  std::map<std::string, std::string> environment;
  Result<int> port = 0;  // one that is free
  std::optional<int64_t> memory_mib;
};

// Looks at everything, in the order in which a first failure explains later ones. Changes nothing;
// takes seconds, because torch_npu is started.
Findings examine(const build::TargetOptions& options,
                 const Host& host,
                 FileSystem& files,
                 ProcessRunner& runner);

}  // namespace shmem_bind::doctor
