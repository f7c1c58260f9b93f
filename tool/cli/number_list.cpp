#include "tool/cli/number_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace shmem_bind::cli {
namespace {

constexpr size_t kMostNumbers = 100000;

std::optional<int64_t> positive_number(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 1) {
    return std::nullopt;
  }
  return value;
}

Failure bad_part(std::string_view part, std::string_view why) {
  return Failure{fmt::format(
      "'{}' {}; write positive numbers and ranges with both ends, such as 1,2,5..9", part, why)};
}

}  // namespace

Result<std::vector<int64_t>> parse_number_list(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const size_t dots = part.find("..");
    const bool is_range = dots != std::string_view::npos;
    const auto first = positive_number(part.substr(0, dots));
    const auto last = is_range ? positive_number(part.substr(dots + 2)) : first;
    if (!first || !last) {
      return bad_part(part, is_range ? "is not a range" : "is not a positive number");
    }
    if (*last < *first) {
      return bad_part(part, "ends before it begins");
    }
    if (static_cast<size_t>(*last - *first) >= kMostNumbers - numbers.size()) {
      return bad_part(part, fmt::format("makes more than {} numbers", kMostNumbers));
    }
    const int64_t count = *last - *first + 1;
    for (int64_t step = 0; step < count;
         ++step) {  // never counts past *last, which may be the largest
      numbers.push_back(*first + step);
    }
    begin = end + 1;
  }
  return numbers;
}

}  // namespace shmem_bind::cli
