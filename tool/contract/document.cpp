#include "tool/contract/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/naming.h"

namespace shmem_bind::contract {
namespace {

struct Section {
  std::string_view name;
  std::vector<std::string> keys;
};

// Keys of the sections that are read (contract §2, §3). Other sections are not looked at.
const std::vector<Section>& sections() {
  static const std::vector<Section> list = {
      {"meta",
       {"op_name",
        "op_kind",
        "build_mode",
        "op_root",
        "target_soc",
        "scope",
        "torch_required",
        "performance_required",
        "performance_auto_optim",
        "docker_container",
        "docker_workdir",
        "docker_exec_required",
        "skills_root",
        "shmem_repo"}},
      {"interface", {"inputs", "outputs", "attrs", "shape_relations", "dtypes", "shape"}},
      {"torch_binding",
       {"class_name",
        "entry",
        "dtypes",
        "fixed",
        "block_dim",
        "n_pes",
        "arguments",
        "state",
        "max",
        "require",
        "aliases",
        "shared",
        "golden"}},
      {"status", {"correctness", "review"}}};
  return list;
}

bool is_canonical(const YamlNode& root) {
  return root.is_map() &&
         (root["dsl_version"].exists() || (root["meta"].exists() && root["interface"].exists()));
}

void warn_of_unknown_keys(const YamlNode& root, Diagnostics& diagnostics) {
  for (const Section& section : sections()) {
    for (const auto& [key, value] : root[section.name].entries) {
      if (std::find(section.keys.begin(), section.keys.end(), key.text) == section.keys.end()) {
        const std::string near = nearest_name(key.text, section.keys);
        diagnostics.add(kUnknownKey,
                        key.span,
                        fmt::format("{}.{}{}",
                                    section.name,
                                    key.text,
                                    near.empty() ? "" : "; did you mean " + near + "?"));
      }
    }
  }
}

void check_version(const YamlNode& root, Span block, Diagnostics& diagnostics) {
  const YamlNode& version = root["dsl_version"];
  if (!version.exists()) {
    diagnostics.add(kNoVersion, {block.source, block.begin, block.begin + 1});
  } else if (version.text != "0.3") {
    diagnostics.add(kBadVersion, version.span, version.text);
  }
}

bool check_op_name(const YamlNode& root, Span block, Diagnostics& diagnostics) {
  const YamlNode& name = root["meta"]["op_name"];
  if (!name.is_scalar()) {
    diagnostics.add(kMissing,
                    name.exists() ? name.span : Span{block.source, block.begin, block.begin + 1},
                    "meta.op_name");
  } else if (name.text == "replace_me" || name.text.find('<') != std::string::npos) {
    diagnostics.add(kPlaceholder, name.span, name.text);
  } else if (!is_op_name(name.text)) {
    const bool path = name.text.find_first_of("/\\.") != std::string::npos;
    diagnostics.add(kBadName,
                    name.span,
                    fmt::format("op_name \"{}\" {}",
                                name.text,
                                path                    ? "is a path"
                                : is_keyword(name.text) ? "is a keyword of C++ or Python"
                                                        : "is not lower case snake_case"));
  } else {
    return true;
  }
  return false;
}

std::string lacking(const std::vector<FencedBlock>& blocks, const SourceTexts& texts) {
  std::vector<std::string> seen;
  for (const FencedBlock& block : blocks) {
    if (block.info == "yaml" || block.info == "yml") {
      seen.push_back(fmt::format("line {}", texts.place(block.span).line));
    }
  }
  return seen.empty() ? "there is no yaml block at all"
                      : "yaml blocks without these keys: " + joined(seen, ", ");
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
  const FencedBlock* chosen = nullptr;
  for (const FencedBlock& block : document.blocks) {
    if (block.info != "yaml" && block.info != "yml") {
      continue;
    }
    Diagnostics found;
    YamlNode root = parse_yaml(block.text, block.span, found);
    const bool named = block.text.find("dsl_version") != std::string::npos;
    if (!is_canonical(root) && !(named && found.has_errors())) {
      continue;
    }
    if (chosen != nullptr) {
      diagnostics.add(kTwoBlocks, {source, block.span.begin, block.span.begin + 1})
          .related.emplace_back(Span{source, chosen->span.begin, chosen->span.begin + 1},
                                "the other one");
      return std::nullopt;
    }
    chosen = &block;
    document.root = std::move(root);
    document.block = block.text;
    for (const Diagnostic& item : found.list()) {
      diagnostics.add(*item.rule, item.span, item.detail).related = item.related;
    }
  }
  if (chosen == nullptr) {
    diagnostics.add(kNoBlock, {source, 0, 1}, lacking(document.blocks, texts));
    return std::nullopt;
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  check_version(document.root, chosen->span, diagnostics);
  warn_of_unknown_keys(document.root, diagnostics);
  if (!check_op_name(document.root, chosen->span, diagnostics)) {
    return std::nullopt;
  }
  document.op_name = document.root["meta"]["op_name"].text;
  return document;
}

}  // namespace shmem_bind::contract
