#pragma once

#include <string>

#include "tool/base/file_system.h"
#include "tool/doctor/finding.h"

namespace shmem_bind::doctor {

// Where the libraries of a run come from.
struct Roots {
  std::string cann;
  std::string shmem;
  // The commands that put both in front.
  std::string set_up() const;
};

// LD_LIBRARY_PATH against the roots: folders with libraries of CANN or SHMEM that belong to another
// installation, which a run would load when they stand in front. Folders that lie below a root are
// its own.
Findings look_at_library_path(const std::string& path, const Roots& roots, FileSystem& files);

}  // namespace shmem_bind::doctor
