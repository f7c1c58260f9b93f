#pragma once

#include <string_view>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

// Where the lines of a text stand in the file it was taken from: a block of a Markdown list is
// indented there, and its lines may end in "\r\n".
class PlaceMap {
 public:
  PlaceMap() = default;
  // A text that is the whole source.
  PlaceMap(int source, std::string_view text);

  // Adds the next line of the text: where it begins in the text and in the source.
  void add_line(size_t in_text, size_t in_source);
  void set_source(int source) { source_ = source; }

  // Bytes [begin, end) of the text as a place in the source; `end` is taken as on the line of
  // `begin` when the span goes over lines.
  Span span(size_t begin, size_t end) const;

 private:
  struct Line {
    size_t in_text;
    size_t in_source;
  };
  int source_ = 0;
  std::vector<Line> lines_;
};

}  // namespace shmem_bind::contract
