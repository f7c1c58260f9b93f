#pragma once

#include <string>

namespace shmem_bind::verify {

// A known-bad variant and what became of it; shmem-bind prove makes them.
struct Mutant {
  std::string id;
  std::string kind;   // binding, test, kernel
  std::string title;  // what is wrong with it
  std::string state;  // killed, equivalent, not applicable, survived, invalid
  std::string by;     // what killed it, or what would
  double seconds = 0;
};

}  // namespace shmem_bind::verify
