#pragma once

#include <map>
#include <string>

#include "tool/base/file_system.h"
#include "tool/build/target.h"
#include "tool/doctor/finding.h"

namespace shmem_bind::doctor {

using Variables = std::map<std::string, std::string>;

// The settings of the simulator (SHMEM_SIM_…) in the environment. The toolkit lists the ones it
// reads in settings.txt; any other has no effect, which nobody who set it wants.
Findings look_at_settings(const Variables& environment,
                          const build::Target& target,
                          FileSystem& files);

// Variables by which the vendor's programs find CANN and SHMEM, left over from another set_env.sh.
Findings look_at_roots(const Variables& environment, const build::Target& target);

}  // namespace shmem_bind::doctor
