#include "tool/base/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tool/base/text.h"

namespace shmem_bind {
namespace {

constexpr size_t kContext = 3;
constexpr size_t kMostLines = 3000;

struct Line {
  char mark;  // ' ', '-', '+'
  std::string_view text;
};

using Lines = std::vector<std::string_view>;

// The changed middle, by the longest common subsequence.
void compare(const Lines& a, const Lines& b, std::vector<Line>& out) {
  if (a.size() > kMostLines || b.size() > kMostLines) {
    for (const std::string_view line : a) {
      out.push_back({'-', line});
    }
    for (const std::string_view line : b) {
      out.push_back({'+', line});
    }
    return;
  }
  const size_t width = b.size() + 1;
  std::vector<uint16_t> common((a.size() + 1) * width, 0);
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? static_cast<uint16_t>(common[(i + 1) * width + j + 1] + 1)
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      out.push_back({' ', a[i]});
      ++i;
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      out.push_back({'-', a[i++]});
    } else {
      out.push_back({'+', b[j++]});
    }
  }
}

std::vector<Line> marked_lines(std::string_view before, std::string_view after) {
  Lines a = split_lines(before);
  Lines b = split_lines(after);
  size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) {
    ++head;
  }
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const auto part = [&](const Lines& all, size_t from, size_t to) {
    return Lines(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  std::vector<Line> out;
  for (const std::string_view line : part(a, 0, head)) {
    out.push_back({' ', line});
  }
  compare(part(a, head, a.size() - tail), part(b, head, b.size() - tail), out);
  for (const std::string_view line : part(a, a.size() - tail, a.size())) {
    out.push_back({' ', line});
  }
  return out;
}

// Lines [begin, end) with the numbers their first line has in both texts.
std::string hunk(const std::vector<Line>& lines, size_t begin, size_t end) {
  size_t old_line = 1;
  size_t new_line = 1;
  for (size_t i = 0; i < begin; ++i) {
    old_line += lines[i].mark != '+' ? 1 : 0;
    new_line += lines[i].mark != '-' ? 1 : 0;
  }
  size_t old_count = 0;
  size_t new_count = 0;
  std::string body;
  for (size_t i = begin; i < end; ++i) {
    old_count += lines[i].mark != '+' ? 1 : 0;
    new_count += lines[i].mark != '-' ? 1 : 0;
    body += fmt::format("{}{}\n", lines[i].mark, lines[i].text);
  }
  return fmt::format("@@ -{},{} +{},{} @@\n{}",
                     old_count == 0 ? 0 : old_line,
                     old_count,
                     new_count == 0 ? 0 : new_line,
                     new_count,
                     body);
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
  const std::vector<Line> lines = marked_lines(before, after);
  std::string out;
  for (size_t i = 0; i < lines.size();) {
    if (lines[i].mark == ' ') {
      ++i;
      continue;
    }
    const size_t begin = i > kContext ? i - kContext : 0;
    size_t last = i;  // the last changed line that is near enough to the one before it
    for (size_t k = i; k < lines.size() && k <= last + 2 * kContext + 1; ++k) {
      last = lines[k].mark == ' ' ? last : k;
    }
    const size_t end = std::min(lines.size(), last + 1 + kContext);
    out += hunk(lines, begin, end);
    i = end;
  }
  return out;
}

}  // namespace shmem_bind
