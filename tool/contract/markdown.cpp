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

struct DocumentLine {
  size_t begin;
  std::string_view text;  // without its line end
};

// Lines as CommonMark counts them: "\n", "\r\n" and "\r" end one.
std::vector<DocumentLine> document_lines(std::string_view text, size_t offset) {
  std::vector<DocumentLine> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    lines.push_back({offset + begin, text.substr(begin, end - begin)});
    begin = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return lines;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

// Line ends become "\n".
std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  for (const DocumentLine& line : document_lines(text, 0)) {
    out += line.text;
    out += '\n';
  }
  return out;
}

// What stands behind list and quote prefixes.
std::string_view without_prefix(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t>");
  return first == std::string_view::npos ? "" : trimmed(line.substr(first));
}

// A closing fence repeats the character of the opening one, at least as often, and nothing else.
bool closes_fence(std::string_view line, std::string_view opening) {
  const std::string_view fence = without_prefix(line);
  const size_t at = opening.find_first_of("`~");
  if (at == std::string_view::npos || fence.empty() || fence[0] != opening[at]) {
    return false;
  }
  const size_t wanted = std::min(opening.find_first_not_of(opening[at], at), opening.size()) - at;
  return fence.size() >= wanted && fence.find_first_not_of(fence[0]) == std::string_view::npos;
}

// The content lines follow the opening fence; each ends its line of the document, whatever the
// list or quote puts in front.
PlaceMap places_of(const FencedBlock& block,
                   const std::vector<DocumentLine>& lines,
                   size_t fence,
                   int source) {
  PlaceMap places;
  places.set_source(source);
  size_t in_text = 0;
  size_t number = fence + 1;
  for (const std::string_view content : split_lines(block.text)) {
    if (number >= lines.size()) {
      break;
    }
    const DocumentLine& line = lines[number++];
    const size_t prefix = line.text.ends_with(content) ? line.text.size() - content.size() : 0;
    places.add_line(in_text, line.begin + prefix);
    in_text += content.size() + 1;
  }
  return places;
}

FencedBlock block_of(cmark_node* node, const std::vector<DocumentLine>& lines, int source) {
  FencedBlock block;
  block.info = lower(trimmed(cmark_node_get_fence_info(node)));
  block.text = with_plain_line_ends(cmark_node_get_literal(node));
  const auto first = static_cast<size_t>(cmark_node_get_start_line(node)) - 1;
  const auto last = static_cast<size_t>(cmark_node_get_end_line(node)) - 1;
  block.is_closed =
      last > first && last < lines.size() && closes_fence(lines[last].text, lines[first].text);
  block.places = places_of(block, lines, first, source);
  const size_t column = static_cast<size_t>(cmark_node_get_start_column(node)) - 1;
  const DocumentLine& line = lines[first];
  block.span = {
      source, line.begin + std::min(column, line.text.size()), line.begin + line.text.size()};
  return block;
}

}  // namespace

bool check_encoding(const std::string& document, int source, Diagnostics& diagnostics) {
  const bool utf16 = document.size() >= 2 && (document.compare(0, 2, "\xff\xfe") == 0 ||
                                              document.compare(0, 2, "\xfe\xff") == 0);
  const size_t bad = first_bad_byte(document);
  if (!utf16 && bad == std::string_view::npos) {
    return true;
  }
  diagnostics.add(kEncoding,
                  {source, 0, 1},
                  utf16                ? "it starts like UTF-16"
                  : document[bad] == 0 ? "byte " + std::to_string(bad) + " is a NUL"
                                       : "byte " + std::to_string(bad) + " is not UTF-8 (GBK?)");
  return false;
}

std::vector<FencedBlock> fenced_blocks(const std::string& document, int source) {
  const size_t skip = document.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view text = std::string_view(document).substr(skip);
  const std::vector<DocumentLine> lines = document_lines(text, skip);
  const std::unique_ptr<cmark_node, void (*)(cmark_node*)> root(
      cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> walk(cmark_iter_new(root.get()),
                                                                &cmark_iter_free);
  std::vector<FencedBlock> blocks;
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(walk.get());
    // An indented code block has no info string; the contract needs one.
    if (cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK &&
        *cmark_node_get_fence_info(node) != 0) {
      blocks.push_back(block_of(node, lines, source));
    }
  }
  return blocks;
}

}  // namespace shmem_bind::contract
