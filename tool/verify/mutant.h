#pragma once

#include <string>

namespace shmem_bind::verify {

// One deliberately wrong variant of an operator, and what became of it.
struct Mutant {
  std::string id;
  std::string kind;   // binding, test, kernel
  std::string title;  // what is wrong
  std::string state;  // killed, survived, not applicable, invalid
  std::string by;     // what killed it, or what would
  double seconds = 0;
};

}  // namespace shmem_bind::verify
