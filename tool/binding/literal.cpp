#include "tool/binding/literal.h"

#include <fmt/format.h>

namespace shmem_bind::binding {

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));  // never longer than this
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string python_literal(std::string_view value) {
  return std::string(value == "true" ? "True" : value == "false" ? "False" : value);
}

}  // namespace shmem_bind::binding
