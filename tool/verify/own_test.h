#pragma once

#include <string>

#include "tool/base/file_system.h"
#include "tool/contract/contract.h"

namespace shmem_bind::verify {

// The script that a verification runs. A test that somebody wrote by hand reports to nobody, and
// passes what its author let it pass: instead of it the test that generate would write is written
// below `folder`, and run on the tree's libraries.
struct TestScript {
  std::string path;
  bool is_own = false;    // it lies below `folder`
  std::string libraries;  // is_own: where the tree's libraries lie, for LD_LIBRARY_PATH
};

Result<TestScript> test_to_run(const contract::Contract& contract,
                               const std::string& tree,
                               const std::string& folder,
                               FileSystem& files);

}  // namespace shmem_bind::verify
