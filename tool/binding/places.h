#pragma once

#include <string>
#include <vector>

#include "tool/contract/contract.h"

// Where things lie in a tree, by build mode (requirements S10, S19). Paths below the tree, with
// '/'. Pure.

namespace shmem_bind::binding {

struct Places {
  std::string op;       // "custom-ops/all_gather", "examples/ring_shift"
  std::string binding;  // the Torch project: "custom-ops/torch_binding"
  std::string source;   // the operator's file in it
  std::string test;     // the operator's scripts/torch_test_<op>.py
  std::string scripts;  // folder of the modules that every operator's test imports
  std::string package;  // name of the Python package in binding/python/

  // What a build makes.
  std::string product;          // name of the binding: "aclshmem_torch.so"
  std::string binding_library;  // its path
  std::string kernel_library;
  std::string records;  // folder for what is known of the libraries: loaded, verified

  // What generate writes. `own` belongs to this operator alone, `shared` to all operators that were
  // generated into the tree; `foreign` are files of the tree in which only marked regions are ours.
  std::vector<std::string> own;
  std::vector<std::string> shared;
  std::vector<std::string> foreign;
};

Places places_of(contract::BuildMode mode, const std::string& op_name);
inline Places places_of(const contract::Contract& contract) {
  return places_of(contract.build_mode, contract.op_name);
}

}  // namespace shmem_bind::binding
