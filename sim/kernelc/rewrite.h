#pragma once

#include <string>
#include <string_view>
#include <vector>

// The kernel language made into C++: launches, unified-buffer casts, qualifiers. The contract with
// the headers stands in sim/include/cann/shmem_sim/language.h.

namespace shmem_sim::kernelc {

struct Problem {
  std::string file;
  int line = 0;
  std::string text;
};

struct Rewritten {
  std::string text;
  std::vector<Problem> problems;  // not empty: do not compile
};

// `vector_only`: the target architecture has only vector cores, so kernels need no core_ratio.
Rewritten rewrite(std::string_view preprocessed, bool vector_only);

}  // namespace shmem_sim::kernelc
