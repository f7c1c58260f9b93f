#pragma once

#include <string>
#include <vector>

#include "tool/base/result.h"
#include "tool/contract/contract.h"

// The built kernel library against what the binding will call: evidence before the binding is
// compiled.

namespace shmem_bind::build {

// Functions that an ELF library defines for others, demangled where they are C++: "void
// f<int>(unsigned int, void*)". Fails when the bytes are no 64-bit ELF shared library with a
// dynamic symbol table.
Result<std::vector<std::string>> exported_functions(const std::string& library_bytes);

// What compiled an ELF file, as the compilers wrote it into its .comment: "GCC: (Debian 12.2.0-14)
// 12.2.0"; several of them separated by ", ". Empty when the file does not say.
std::string compiler_of(const std::string& elf_bytes);

// One function the dispatch needs.
struct Instantiation {
  std::string dtype;  // DSL spelling; empty when nothing is dispatched
  std::string name;   // "ShmemKernel::aclshmem_all_gather<op::fp16_t>"
  // Demangled parameters, "(unsigned int, void*, …)"; empty when a parameter's type is not known by
  // name here.
  std::string parameters;
};
std::vector<Instantiation> needed_functions(const contract::Contract& contract);

// One line per instantiation that is missing or declared differently; empty when all are there.
std::vector<std::string> artifact_findings(const std::vector<Instantiation>& needed,
                                           const std::vector<std::string>& exported);

}  // namespace shmem_bind::build
