#pragma once

#include <map>
#include <string>

// Generated files in memory. Paths are relative to the tree (the folder above `custom-ops/`), with '/'.
// Ordered, so that everything derived from a set is deterministic.

namespace shmem_bind::binding {

struct GeneratedFile {
  std::string text;
  bool executable = false;
  // A file that several operators share: this text holds only our marked regions' contents; see
  // shared_region.h. False: the whole file is ours.
  bool shared = false;
};

using FileSet = std::map<std::string, GeneratedFile>;

}  // namespace shmem_bind::binding
