#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"
#include "tool/contract/place_map.h"

namespace shmem_bind::contract {

// A fenced code block of a Markdown document, found by CommonMark's rules: in lists and quotes,
// fenced by ``` or ~~~ of any length, with any line ends, behind a byte order mark.
struct FencedBlock {
  std::string info;       // lower case, e.g. "yaml", "python golden"
  std::string text;       // lines end with "\n"
  PlaceMap places;        // of the text in the document
  Span span;              // the fence that opens it
  bool is_closed = true;  // false: the document or the list item ends before a closing fence

  // The first word of the info string.
  std::string language() const { return info.substr(0, info.find(' ')); }
};

std::vector<FencedBlock> fenced_blocks(const std::string& document, int source);

// UTF-16, GBK and other input that is not UTF-8 is said, not guessed.
bool check_encoding(const std::string& document, int source, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
