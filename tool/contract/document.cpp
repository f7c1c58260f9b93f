#include "tool/contract/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tool/base/text.h"
#include "tool/contract/dsl_keys.h"
#include "tool/contract/errors.h"
#include "tool/contract/naming.h"

namespace shmem_bind::contract {
namespace {

bool is_yaml(const FencedBlock& block) {
  return block.language() == "yaml" || block.language() == "yml";
}

bool is_canonical(const YamlNode& root) {
  return root.is_map() &&
         (root["dsl_version"].exists() || (root["meta"].exists() && root["interface"].exists()));
}

// Whether a block that is no YAML was meant as the canonical one: the keys stand at line starts.
bool looks_canonical(std::string_view text) {
  bool meta = false;
  bool interface = false;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with("dsl_version")) {
      return true;
    }
    meta = meta || line.starts_with("meta");
    interface = interface || line.starts_with("interface");
  }
  return meta && interface;
}

// A yaml block, parsed; its findings count only when it is the canonical one.
struct Candidate {
  const FencedBlock* block;
  YamlNode root;
  Diagnostics findings;
};

std::vector<Candidate> canonical_blocks(const std::vector<FencedBlock>& blocks) {
  std::vector<Candidate> found;
  for (const FencedBlock& block : blocks) {
    if (!is_yaml(block)) {
      continue;
    }
    Candidate candidate{&block, {}, {}};
    candidate.root = parse_yaml(block.text, block.places, candidate.findings);
    if (is_canonical(candidate.root) ||
        (candidate.findings.has_errors() && looks_canonical(block.text))) {
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

std::string what_yaml_blocks_lack(const std::vector<FencedBlock>& blocks,
                                  const SourceTexts& texts) {
  std::vector<std::string> seen;
  for (const FencedBlock& block : blocks) {
    if (is_yaml(block)) {
      seen.push_back(fmt::format("the one at line {}", texts.place(block.span).line));
    }
  }
  return seen.empty()
             ? "there is no fenced yaml block"
             : "no yaml block has dsl_version, or meta and interface: " + joined(seen, ", ");
}

// The one canonical block, or a finding that says why there is none.
std::optional<Candidate> choose_block(const std::vector<FencedBlock>& blocks,
                                      const SourceTexts& texts,
                                      int source,
                                      Diagnostics& diagnostics) {
  std::vector<Candidate> found = canonical_blocks(blocks);
  if (found.empty()) {
    diagnostics.add(kNoBlock, {source, 0, 1}, what_yaml_blocks_lack(blocks, texts));
    return std::nullopt;
  }
  if (found.size() > 1) {
    Diagnostic& item = diagnostics.add(kTwoBlocks, found[1].block->span);
    item.related.emplace_back(found[0].block->span, "the other one");
    for (size_t i = 2; i < found.size(); ++i) {
      item.related.emplace_back(found[i].block->span, "and one more");
    }
    return std::nullopt;
  }
  return std::move(found.front());
}

void check_version(const YamlNode& root, Span block, Diagnostics& diagnostics) {
  const YamlNode& version = root["dsl_version"];
  if (!version.exists()) {
    diagnostics.add(kNoVersion, block);
  } else if (version.is_scalar() && version.text != "0.3") {
    diagnostics.add(kBadVersion, version.span, version.text);
  }
}

std::string_view why_no_op_name(const std::string& name) {
  if (name.find_first_of("/\\.") != std::string::npos) {
    return "is a path";
  }
  return is_keyword(name) ? "is a keyword of C++ or Python" : "is not lower case snake_case";
}

bool check_op_name(const YamlNode& root, Span block, Diagnostics& diagnostics) {
  const YamlNode& name = root["meta"]["op_name"];
  if (!name.is_scalar()) {
    diagnostics.add(kMissing, name.exists() ? name.span : block, "meta.op_name");
    return false;
  }
  if (name.text == "replace_me" || name.text.starts_with("<")) {
    diagnostics.add(kPlaceholder, name.span, name.text);
    return false;
  }
  if (!is_op_name(name.text)) {
    diagnostics.add(kBadName,
                    name.span,
                    fmt::format("op_name \"{}\" {}", name.text, why_no_op_name(name.text)));
    return false;
  }
  return true;
}

}  // namespace

std::optional<Document> read_document(const SourceTexts& texts,
                                      int source,
                                      Diagnostics& diagnostics) {
  const std::string& text = texts.text(source);
  if (!check_encoding(text, source, diagnostics)) {
    return std::nullopt;
  }
  Document document;
  document.source = source;
  document.blocks = fenced_blocks(text, source);
  std::optional<Candidate> chosen = choose_block(document.blocks, texts, source, diagnostics);
  if (!chosen) {
    return std::nullopt;
  }
  const Span fence = chosen->block->span;
  for (const Diagnostic& item : chosen->findings.list()) {
    diagnostics.add(*item.rule, item.span, item.detail).related = item.related;
  }
  if (!chosen->block->is_closed) {
    diagnostics.add(kOpenFence, fence);
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  document.root = std::move(chosen->root);
  document.block = chosen->block->text;
  check_version(document.root, fence, diagnostics);
  check_keys(document.root, diagnostics);
  if (!check_op_name(document.root, fence, diagnostics) || diagnostics.has_errors()) {
    return std::nullopt;
  }
  document.op_name = document.root["meta"]["op_name"].text;
  return document;
}

}  // namespace shmem_bind::contract
