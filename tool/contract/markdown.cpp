#include "tool/contract/markdown.h"

#include <cmark.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "tool/base/text.h"
#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Offset of the first byte that is no UTF-8, or npos.
size_t first_bad_byte(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80         ? 1
                          : (c >> 5) == 6  ? 2
                          : (c >> 4) == 14 ? 3
                          : (c >> 3) == 30 ? 4
                                           : 0;
    if (length == 0 || c == 0 || i + length > text.size()) {
      return i;
    }
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) {
        return i;
      }
    }
    i += length;
  }
  return std::string_view::npos;
}

// Start of each line, from 1.
std::vector<size_t> line_starts(std::string_view text) {
  std::vector<size_t> starts = {0, 0};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      starts.push_back(i + 1);
    }
  }
  return starts;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

}  // namespace

bool check_encoding(const std::string& document, int source, Diagnostics& diagnostics) {
  const bool utf16 = document.size() >= 2 && (document.compare(0, 2, "\xff\xfe") == 0 ||
                                              document.compare(0, 2, "\xfe\xff") == 0);
  const size_t bad = first_bad_byte(document);
  if (!utf16 && bad == std::string_view::npos) {
    return true;
  }
  diagnostics.add(
      kEncoding,
      {source, 0, 1},
      utf16 ? "it starts like UTF-16" : "byte " + std::to_string(bad) + " is not UTF-8 (GBK?)");
  return false;
}

std::vector<FencedBlock> fenced_blocks(const std::string& document, int source) {
  const size_t skip =
      document.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0 ? kByteOrderMark.size() : 0;
  const std::string_view text = std::string_view(document).substr(skip);
  const std::vector<size_t> starts = line_starts(text);
  const std::unique_ptr<cmark_node, void (*)(cmark_node*)> root(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> walk(cmark_iter_new(root.get()),
                                                                &cmark_iter_free);
  std::vector<FencedBlock> blocks;
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(walk.get());
    const char* info = cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK
                           ? cmark_node_get_fence_info(node)
                           : nullptr;
    if (info == nullptr || cmark_node_get_type(node) != CMARK_NODE_CODE_BLOCK) {
      continue;
    }
    FencedBlock block;
    block.info = lower(trimmed(info));
    block.text = cmark_node_get_literal(node);
    const auto line = static_cast<size_t>(cmark_node_get_start_line(node)) + 1;  // behind the fence
    const size_t begin = skip + (line < starts.size() ? starts[line] : text.size());
    block.span = {source, begin, std::min(begin + block.text.size(), document.size())};
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace shmem_bind::contract
