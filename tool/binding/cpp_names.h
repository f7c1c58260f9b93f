#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tool/contract/contract.h"

namespace shmem_bind::binding {

// What the contract's names are called in the operator's C++ file. Python sees the contract's own
// names; here a name that the generated code uses itself, or that two things would share, gets '_'
// appended.
class CppNames {
 public:
  explicit CppNames(const contract::Contract& contract);

  const std::string& tensor(const std::string& name) const;
  // The parameter that a tensor which may be absent is passed in; otherwise the tensor itself.
  const std::string& parameter(const std::string& tensor) const;
  // Of an attribute or a shape symbol. n_pes, pe, block_dim, epoch and what is unknown keep their
  // name.
  const std::string& value(const std::string& name) const;

  // The contiguous form of a tensor, and the checked value of the kernel's parameter `index`.
  const std::string& dense(const std::string& tensor) const { return dense_.at(tensor); }
  const std::string& memory(const std::string& tensor) const { return memory_.at(tensor); }
  const std::string& argument(size_t index) const { return arguments_[index]; }

 private:
  std::string unique(std::string name);

  std::map<std::string, std::string> tensors_;
  std::map<std::string, std::string> given_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> dense_;
  std::map<std::string, std::string> memory_;
  std::vector<std::string> arguments_;
  std::set<std::string> taken_;
};

}  // namespace shmem_bind::binding
