#include "tool/binding/cpp_source.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <vector>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

// Where what begins at `at` ends: a comment, a literal, or one byte of code.
size_t end_of_piece(std::string_view text, size_t at) {
  const auto behind = [&](std::string_view close, size_t from) {
    const size_t found = text.find(close, from);
    return found == std::string_view::npos ? text.size() : found + close.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) {
    return std::min(text.find('\n', at), text.size());
  }
  if (rest.starts_with("/*")) {
    return behind("*/", at + 2);
  }
  if (rest.starts_with("R\"")) {
    const size_t open = text.find('(', at);
    return open == std::string_view::npos
               ? text.size()
               : behind(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  if (rest[0] != '"' && rest[0] != '\'') {
    return at + 1;
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != rest[0] && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

}  // namespace

std::string code_only(std::string_view text) {
  std::string out(text);
  for (size_t at = 0, end = 0; at < text.size(); at = end) {
    // A quote between digits separates them: 1'000.
    const bool separates =
        text[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
    end = separates ? at + 1 : end_of_piece(text, at);
    for (size_t i = at; end - at > 1 && i < end; ++i) {
      out[i] = out[i] == '\n' || out[i] == '\r' ? out[i] : ' ';
    }
  }
  return out;
}

bool defines_manager(std::string_view text) {
  static const std::regex definition(
      R"(\b(class|struct)\s+Manager\b[^;{}()]*\{|\bREGISTER_SHMEM_OPS_CLASS\s*\(\s*Manager\b)");
  return std::regex_search(code_only(text), definition);
}

size_t declarations_place(std::string_view header) {
  const std::string code = code_only(header);
  std::vector<std::string_view> lines;
  size_t last_code = 0;  // begin of the last line that is not empty
  for (size_t at = 0; at < code.size();) {
    const size_t next = std::min(code.find('\n', at), code.size() - 1) + 1;
    const std::string_view line = trimmed(std::string_view(code).substr(at, next - at));
    if (!line.empty()) {
      last_code = at;
      lines.push_back(line);
    }
    at = next;
  }
  const bool guarded = lines.size() > 2 && lines[0].starts_with("#ifndef ") &&
                       lines[1].starts_with("#define ") && lines.back().starts_with("#endif");
  return guarded ? last_code : header.size();
}

}  // namespace shmem_bind::binding
