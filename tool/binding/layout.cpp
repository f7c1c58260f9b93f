#include "tool/binding/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

std::string blanks(size_t count) {
  return std::string(count, ' ');
}

size_t widest(const std::string& text) {
  size_t width = 0;
  for (const std::string_view line : split_lines(text)) {
    width = std::max(width, line.size());
  }
  return width;
}

// Walks C++ text and knows where it is: in a string, or between how many parentheses and braces.
class Depth {
 public:
  void step(char c) {
    if (c == '"' && previous_ != '\\') {
      in_string_ = !in_string_;
    } else if (!in_string_) {
      depth_ += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    }
    previous_ = c;
  }
  bool is(int depth) const { return !in_string_ && depth_ == depth; }

 private:
  int depth_ = 0;
  bool in_string_ = false;
  char previous_ = '\0';
};

// "(a, b, c)" with one item a line, its first at `column`.
std::string broken_list(const std::string& list, size_t column) {
  std::string out;
  Depth depth;
  for (size_t i = 0; i < list.size(); ++i) {
    depth.step(list[i]);
    out += list[i];
    if (list[i] == ',' && depth.is(1)) {
      out += "\n" + blanks(column + 1);
      i += list.substr(i + 1, 1) == " " ? 1 : 0;
    }
  }
  return out;
}

// Every item on a line of its own, at `column`.
std::string one_a_line(const std::vector<std::string>& items,
                       size_t column,
                       std::string_view tail) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const size_t width = column + items[i].size() + (last ? tail.size() : 1);
    const bool list = items[i].starts_with("(") && width > kColumns;
    out += i == 0 ? "" : blanks(column);
    out += list ? broken_list(items[i], column) : items[i];
    out += last ? "" : ",\n";
  }
  return out + std::string(tail) + "\n";
}

// `all_on_next_line_from`: with that many items, clang-format rather breaks once, behind the
// parenthesis, than between all of them.
std::string list_statement(size_t indent,
                           std::string_view head,
                           const std::vector<std::string>& items,
                           std::string_view tail,
                           size_t all_on_next_line_from) {
  const std::string start = fmt::format("{}{}(", blanks(indent), head);
  const std::string inside = joined(items, ", ") + std::string(tail);
  if (start.size() + inside.size() <= kColumns) {
    return start + inside + "\n";
  }
  std::string next_line = fmt::format("{}\n{}{}\n", start, blanks(indent + 4), inside);
  std::string aligned = start + one_a_line(items, start.size(), tail);
  const bool aligned_fits = widest(aligned) <= kColumns;
  if (widest(next_line) <= kColumns && (items.size() >= all_on_next_line_from || !aligned_fits)) {
    return next_line;
  }
  if (aligned_fits) {
    return aligned;
  }
  return guarded(
      indent,
      fmt::format("{}\n{}{}", start, blanks(indent + 4), one_a_line(items, indent + 4, tail)));
}

}  // namespace

std::string call(size_t indent,
                 std::string_view head,
                 const std::vector<std::string>& arguments,
                 std::string_view tail) {
  return list_statement(indent, head, arguments, tail, 3);
}

std::string call_of_lists(std::string_view head, const std::vector<std::string>& items) {
  const std::string start = std::string(head) + "(";
  std::string line = start + joined(items, ", ") + ");\n";
  if (line.size() - 1 <= kColumns) {
    return line;
  }
  const auto all = [&items](size_t column) {  // one a line, no list broken
    return joined(items, ",\n" + blanks(column)) + ");\n";
  };
  for (const std::string& text : {start + all(start.size()), start + "\n" + blanks(4) + all(4)}) {
    if (widest(text) <= kColumns) {
      return text;
    }
  }
  const std::string broken = start + one_a_line(items, start.size(), ");");
  return widest(broken) <= kColumns
             ? broken
             : guarded(0, start + "\n" + blanks(4) + one_a_line(items, 4, ");"));
}

std::string declaration(size_t indent,
                        std::string_view head,
                        const std::vector<std::string>& parameters,
                        std::string_view tail) {
  return list_statement(indent, head, parameters, tail, 5);
}

std::string assignment(size_t indent, std::string_view target, std::string_view value) {
  std::string line = fmt::format("{}{} = {};\n", blanks(indent), target, value);
  if (line.size() - 1 <= kColumns) {
    return line;
  }
  return guarded(indent,
                 fmt::format("{}{} =\n{}{};\n", blanks(indent), target, blanks(indent + 4), value));
}

std::string guarded(size_t indent, const std::string& text) {
  if (widest(text) <= kColumns) {
    return text;
  }
  return fmt::format("{0}// clang-format off\n{1}{0}// clang-format on\n", blanks(indent), text);
}

}  // namespace shmem_bind::binding
