#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/base/diagnostic.h"
#include "tool/contract/place_map.h"

namespace shmem_bind::contract {

// YAML as a tree of texts with their places. Nothing is typed implicitly: `no` is the text "no",
// `0.30` the text "0.30".
struct YamlEntry;
struct YamlNode {
  enum class Kind { kNone, kScalar, kSequence, kMap };
  Kind kind = Kind::kNone;  // kNone: absent, or written as nothing or `~`
  std::string text;         // kScalar
  Span span;                // of a scalar's text without quotes; of the first byte of the others
  std::vector<YamlNode> items;     // kSequence
  std::vector<YamlEntry> entries;  // kMap, in order

  bool exists() const { return kind != Kind::kNone; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_map() const { return kind == Kind::kMap; }
  // The value of a key; a missing node when there is none.
  const YamlNode& operator[](std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

// Reports syntax errors, duplicate keys, keys that are no text, a second document, and trees over
// 100,000 nodes or 64 levels (alias bombs); the result is missing when the tree cannot be used.
YamlNode parse_yaml(std::string_view text, const PlaceMap& places, Diagnostics& diagnostics);

// The first full-width or other look-alike punctuation in a text, as Chinese input methods write
// it: its offset and bytes, and the ASCII character that was meant. Size 0: there is none.
struct LookAlike {
  size_t offset = 0;
  size_t size = 0;
  char ascii = 0;
};
LookAlike look_alike_in(std::string_view text);

}  // namespace shmem_bind::contract
