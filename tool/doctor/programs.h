#pragma once

#include <string>

#include "tool/base/process.h"
#include "tool/doctor/finding.h"

namespace shmem_bind::doctor {

// The C++ compiler that builds bindings, and the ABI of std::string it uses unless told otherwise.
struct Compiler {
  Finding finding;
  std::string abi;  // "1", "0", empty when it does not say
};
Compiler look_at_compiler(const std::string& name, ProcessRunner& runner);

Finding look_at_cmake(ProcessRunner& runner);
Finding look_at_ninja(ProcessRunner& runner);

// "cmake version 3.25.1" -> 3.25.1, "g++ (Debian 12.2.0-14) 12.2.0" -> 12.2.0
std::string version_in(std::string_view line);
bool is_at_least(std::string_view version, int major, int minor);

}  // namespace shmem_bind::doctor
