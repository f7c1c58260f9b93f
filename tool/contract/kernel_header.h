#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

struct Parameter {
  std::string name;
  std::string type;       // as written: "uint8_t *"
  std::string canonical;  // without typedefs: "unsigned char *"
  Span span;
  bool is_pointer() const { return !canonical.empty() && canonical.back() == '*'; }
};

struct Function {
  std::vector<std::string> namespaces;
  std::string name;
  std::string return_type;
  std::vector<Parameter> parameters;
  bool is_template = false;
  Span span;

  std::string qualified() const;    // "ShmemKernel::aclshmem_all_gather"
  std::string declaration() const;  // one statement, without default arguments and namespaces
};

// The functions a kernel header declares, as a C++ compiler sees them. CANN and SHMEM headers are
// replaced by stubs, so that no toolkit is needed. Errors of the compiler become diagnostics and an
// empty result.
std::vector<Function> read_kernel_header(const std::string& text,
                                         const std::string& name,
                                         int source,
                                         Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
