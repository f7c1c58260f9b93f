#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/base/source_text.h"
#include "tool/contract/markdown.h"
#include "tool/contract/yaml.h"

namespace shmem_bind::contract {

// design.md read as far as it can be without the kernel header.
struct Document {
  int source = 0;
  YamlNode root;      // the canonical block; its sections and lists have the forms of contract §2
  std::string block;  // its text, for the digest
  std::string op_name;
  std::vector<FencedBlock> blocks;  // all of them: a golden may stand in one
};

// Finds the canonical block (contract §1) and checks what can be seen without knowing what it
// means: forms of sections, unknown keys, placeholders, look-alike punctuation, op_name. Nothing
// when the document has findings that make reading on pointless.
std::optional<Document> read_document(const SourceTexts& texts,
                                      int source,
                                      Diagnostics& diagnostics);

}  // namespace shmem_bind::contract
