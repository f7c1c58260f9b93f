#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind::contract {

// YAML as a tree of texts with their places. Nothing is typed implicitly: `no` is the text "no".
struct YamlEntry;
struct YamlNode {
  enum class Kind { kNone, kScalar, kSequence, kMap };
  Kind kind = Kind::kNone;
  std::string text;  // kScalar
  Span span;
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

// `place` covers `text` in its source; `indent` characters at the start of every line were removed
// from the source. Reports syntax errors, duplicate keys and trees over 100,000 nodes (alias
// bombs); the result is missing then.
YamlNode parse_yaml(std::string_view text, Span place, Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
