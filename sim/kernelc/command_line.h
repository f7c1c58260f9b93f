#pragma once

#include <string>
#include <vector>

// The options of `bisheng`, sorted into what its own compiler would need and what the compiler
// behind it gets.

namespace shmem_sim::kernelc {

struct CommandLine {
  bool kernel_language = false;  // -xasc, -xcce, -x asc, or an .asc source
  bool vector_only = false;      // architecture dav-…-vec
  bool compile_only = false;     // -c
  bool preprocess_only = false;  // -E, -M, -MM
  bool assemble_only = false;    // -S
  bool save_temporaries = false;
  bool print_version = false;  // -v alone
  std::vector<std::string> sources;
  std::string output;
  std::vector<std::string>
      preprocess;  // -D -I -include … and dependency options: only for the first step
  std::vector<std::string> common;   // everything else, for both steps and for linking
  std::vector<std::string> ignored;  // bisheng options that mean nothing here
  std::vector<std::string> unknown;  // looks like a bisheng option, not known

  bool links() const { return !compile_only && !preprocess_only && !assemble_only; }
};

CommandLine parse(const std::vector<std::string>& arguments);

}  // namespace shmem_sim::kernelc
