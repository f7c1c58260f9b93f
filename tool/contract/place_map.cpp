#include "tool/contract/place_map.h"

#include <algorithm>

namespace shmem_bind::contract {

PlaceMap::PlaceMap(int source, std::string_view text) : source_(source) {
  add_line(0, 0);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      add_line(i + 1, i + 1);
    }
  }
}

void PlaceMap::add_line(size_t in_text, size_t in_source) {
  lines_.push_back({in_text, in_source});
}

Span PlaceMap::span(size_t begin, size_t end) const {
  const auto next =
      std::upper_bound(lines_.begin(), lines_.end(), begin, [](size_t at, const Line& line) {
        return at < line.in_text;
      });
  if (next == lines_.begin()) {
    return {source_, begin, end};
  }
  const Line& line = *(next - 1);
  if (next != lines_.end()) {
    end = std::clamp(end, begin, std::max(begin, next->in_text - 1));
  }
  const size_t at = line.in_source + (begin - line.in_text);
  return {source_, at, at + std::max(end, begin) - begin};
}

}  // namespace shmem_bind::contract
