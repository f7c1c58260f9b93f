#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/emit.h"
#include "tool/binding/layout.h"

namespace shmem_bind::binding {
namespace {

// "int a, map<int, int> b" at its outer commas.
std::vector<std::string> split_parameters(std::string_view text) {
  std::vector<std::string> parameters;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parameters.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (const std::string_view last = trimmed(text.substr(begin)); !last.empty()) {
    parameters.emplace_back(last);
  }
  return parameters;
}

}  // namespace

std::vector<std::string> emit_kernel_declaration(const contract::Contract& contract) {
  const contract::KernelEntry& entry = contract.entry;
  std::string text;
  for (const std::string& space : entry.namespaces) {
    text += fmt::format("namespace {} {{\n", space);
  }
  const size_t open = entry.declaration.find('(');
  const size_t close = entry.declaration.rfind(')');
  std::string head = entry.declaration.substr(0, open);
  if (const size_t line_end = head.rfind('\n'); line_end != std::string::npos) {
    text += head.substr(0, line_end + 1);  // template <…>
    head = head.substr(line_end + 1);
  }
  text += declaration(
      0, head, split_parameters(entry.declaration.substr(open + 1, close - open - 1)), ");");
  for (size_t i = entry.namespaces.size(); i-- > 0;) {
    text += fmt::format("}}  // namespace {}\n", entry.namespaces[i]);
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) {
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace shmem_bind::binding
