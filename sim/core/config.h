#pragma once

#include <cstdint>
#include <string>

#include "sim/core/api.h"

// The simulator's environment settings, read once per process (again after fork). One table:
// config.def.

namespace shmem_sim {

struct Config {
  using Int = int64_t;
  using Flag = bool;
  using Text = std::string;
#define SETTING(member, variable, type, fallback, help) type member = fallback;
#include "sim/core/config.def"
#undef SETTING

  int64_t seed_number = 0;  // `seed` as a number
  bool adversarial() const { return !seed.empty(); }
};

// Thread-safe. Ends the process with exit code 2 and a message when a setting is malformed.
SHMEM_SIM_API const Config& config();

// The table as text, for `shmem-bind sim env` and docs: one line a setting.
SHMEM_SIM_API std::string describe_settings();

}  // namespace shmem_sim
