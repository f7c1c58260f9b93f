#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/emit.h"

namespace shmem_bind::binding {

std::vector<std::string> emit_kernel_declaration(const contract::Contract& contract) {
  const contract::KernelEntry& entry = contract.entry;
  std::vector<std::string> lines = {"// operator " + contract.op_name};
  for (const std::string& space : entry.namespaces) {
    lines.push_back(fmt::format("namespace {} {{", space));
  }
  // One parameter a line: stays readable, and within the line length, whatever the kernel takes.
  const size_t open = entry.declaration.find('(');
  std::string head = entry.declaration.substr(0, open + 1);
  for (const std::string_view line : split_lines(head)) {
    lines.emplace_back(line);
  }
  std::string rest = entry.declaration.substr(open + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string part = rest.substr(0, comma == std::string::npos ? rest.size() : comma + 1);
    lines.push_back("    " + part);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
  }
  for (size_t i = entry.namespaces.size(); i-- > 0;) {
    lines.push_back(fmt::format("}}  // namespace {}", entry.namespaces[i]));
  }
  return lines;
}

}  // namespace shmem_bind::binding
