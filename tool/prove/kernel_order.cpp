#include <regex>

#include "tool/base/text.h"
#include "tool/prove/variants.h"

// Statements of a kernel change places. They are told apart by their indent: a person's text that
// is laid out as usual.

namespace shmem_bind::prove {
namespace {

using Lines = std::vector<std::string>;

size_t indent_of(const std::string& line) {
  const size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? std::string::npos : at;
}

bool begins_statement(const std::string& line, size_t indent) {
  return indent_of(line) == indent && line[indent] != '}' && line[indent] != '/';
}

// Where the statement that ends in front of `end` begins; `end` when there is none.
size_t statement_before(const Lines& lines, size_t end, size_t indent) {
  for (size_t i = end; i-- > 0;) {
    if (begins_statement(lines[i], indent)) {
      return i;
    }
    if (indent_of(lines[i]) < indent) {
      break;
    }
  }
  return end;
}

// Behind the statement that begins at `begin`.
size_t statement_end(const Lines& lines, size_t begin, size_t indent) {
  size_t i = begin + 1;
  while (i < lines.size() && indent_of(lines[i]) != std::string::npos &&
         (indent_of(lines[i]) > indent ||
          (indent_of(lines[i]) == indent && lines[i][indent] == '}'))) {
    ++i;
  }
  return i;
}

std::string joined_lines(const Lines& lines, size_t begin, size_t end) {
  std::string out;
  for (size_t i = begin; i < end; ++i) {
    out += lines[i] + "\n";
  }
  return out;
}

}  // namespace

std::vector<Reordered> signals_before_data(const std::string& kernel) {
  Lines lines;
  for (const std::string_view line : split_lines(kernel)) {
    lines.emplace_back(line);
  }
  const std::regex complete(R"(^\s*aclshmem\w*_(quiet|fence)\(\);)");
  const std::regex signals(R"(\b(\w*Signal\w*|aclshmemx?_\w*signal_op)\()");
  const std::regex waits(R"(wait_until)");
  std::vector<Reordered> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_search(lines[i], complete)) {
      continue;
    }
    const size_t indent = indent_of(lines[i]);
    const size_t data = statement_before(lines, i, indent);
    const size_t end = statement_end(lines, i + 1, indent);
    if (data == i || i + 1 >= lines.size() || indent_of(lines[i + 1]) != indent) {
      continue;
    }
    const std::string signal = joined_lines(lines, i + 1, end);
    if (std::regex_search(signal, signals) && !std::regex_search(signal, waits)) {
      found.push_back({i + 2,
                       joined_lines(lines, 0, data) + signal + joined_lines(lines, data, i + 1) +
                           joined_lines(lines, end, lines.size())});
    }
  }
  return found;
}

}  // namespace shmem_bind::prove
