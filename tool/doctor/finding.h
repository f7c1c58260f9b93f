#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shmem_bind::doctor {

enum class Health { kGreen, kYellow, kRed };  // yellow: works, but is not what one would expect

// One line of the doctor's: what was looked at, what is there, and the command that repairs it.
struct Finding {
  std::string name;
  Health health = Health::kGreen;
  std::string found;
  std::string fix;  // of every red one
};

using Findings = std::vector<Finding>;

std::string_view name_of(Health health);

}  // namespace shmem_bind::doctor
