#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

// A fenced code block of a Markdown document, found by Markdown's rules (nested lists, ~~~, CRLF, a
// byte order mark).
struct FencedBlock {
  std::string info;  // lower case, e.g. "yaml", "python golden"
  std::string text;
  Span span;  // of the text in the document; exact for blocks that are not indented
};

std::vector<FencedBlock> fenced_blocks(const std::string& document, int source);

// UTF-16, GBK and other non-UTF-8 input is said, not guessed.
bool check_encoding(const std::string& document, int source, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
