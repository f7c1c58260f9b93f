#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

struct Parameter {
  std::string name;       // empty when the declaration gives none
  std::string type;       // as written: "uint8_t *"
  std::string canonical;  // without typedefs: "unsigned char *"
  Span span;

  bool is_pointer() const { return !canonical.empty() && canonical.back() == '*'; }
  bool is_number() const;  // an integer, a floating-point number or bool
};

// What the compiler says about one place of the header.
struct HeaderError {
  Span span;
  std::string text;
};

struct Function {
  std::vector<std::string> namespaces;
  std::string name;
  std::string return_type;
  std::vector<Parameter> parameters;
  bool is_template = false;
  std::string template_parameter;  // name of the one type parameter; empty: other parameters
  bool is_c = false;               // extern "C"
  bool is_variadic = false;        // C's `...`
  bool is_device = false;          // __global__ or __aicore__: not called from the host
  Span span;
  std::vector<HeaderError> errors;  // inside its declaration

  std::string qualified() const;  // "ShmemKernel::aclshmem_all_gather"
  // One statement that stands alone: without default arguments and namespaces, with the typedefs of
  // the vendor's headers (GM_ADDR, aclrtStream) replaced by what they stand for.
  std::string declaration() const;
};

struct KernelHeader {
  std::vector<Function> functions;     // those of the header itself, each once
  std::vector<std::string> classes;    // defined in it
  std::vector<HeaderError> errors;     // outside of every function
  std::vector<std::string> not_found;  // included files that nobody gave
};

struct HeaderText {
  std::string path;  // relative to the operator's folder: "src/all_gather_kernel.h"
  std::string_view text;
  int source = 0;
};

// The functions a kernel header declares, as a C++17 compiler sees them. Pure: <cstdint> and the
// vendor's headers are replaced by stubs, so that the result is the same on every machine; headers
// of the same folder (`others`) can be included. Errors are part of the result: whether one matters
// depends on which function is the entry.
KernelHeader read_kernel_header(const HeaderText& header, std::span<const HeaderText> others);

}  // namespace shmem_bind::contract
