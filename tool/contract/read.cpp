#include "tool/contract/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/contract/document.h"
#include "tool/contract/errors.h"
#include "tool/contract/markdown.h"
#include "tool/contract/yaml.h"

namespace shmem_bind::contract {
namespace {

// docs/status.yaml replaces the section `status`; its keys stand at the top or under `status`.
void take_status(const Sources& sources, Document& document, Diagnostics& diagnostics) {
  const std::string& text = sources.texts.text(sources.status);
  if (!check_encoding(text, sources.status, diagnostics)) {
    return;
  }
  YamlNode root = parse_yaml(text, PlaceMap(sources.status, text), diagnostics);
  YamlNode value = root["status"].exists() ? root["status"] : root;
  if (!value.is_map()) {
    return;
  }
  for (auto& [key, old] : document.root.entries) {
    if (key.text == "status") {
      old = std::move(value);
      return;
    }
  }
  YamlNode key;
  key.kind = YamlNode::Kind::kScalar;
  key.text = "status";
  key.span = value.span;
  document.root.entries.emplace_back(std::move(key), std::move(value));
}

// <op>_kernel.h, else the only *_kernel.h, else the only header. Source -1 when there is none
// of these.
HeaderSource choose_header(const Sources& sources, const std::string& op_name) {
  const std::string wanted = op_name + "_kernel.h";
  std::vector<const HeaderSource*> kernels;
  std::vector<std::string> paths;
  for (const HeaderSource& header : sources.headers) {
    paths.push_back(header.path);
    if (header.path == wanted || header.path.ends_with("/" + wanted)) {
      return header;
    }
    if (header.path.ends_with("_kernel.h")) {
      kernels.push_back(&header);
    }
  }
  if (kernels.size() == 1) {
    return *kernels[0];
  }
  if (sources.headers.size() == 1) {
    return sources.headers[0];
  }
  return {-1,
          fmt::format("src/{} is not there{}",
                      wanted,
                      paths.empty() ? "" : "; there are " + joined(paths, ", "))};
}

// Generated files go to custom-ops/<op_name>, in-tree ones to examples/<op_name>: op_root must say
// so, and the operator must lie there.
void check_place(const Sources& sources, const Document& document, Diagnostics& diagnostics) {
  const YamlNode& root = document.root["meta"]["op_root"];
  const bool in_tree = document.root["meta"]["build_mode"].text == "in_tree_example";
  const std::string expected = (in_tree ? "examples/" : "custom-ops/") + document.op_name;
  std::string said = root.is_scalar() ? root.text : expected;
  while (said.size() > 1 && said.back() == '/') {
    said.pop_back();
  }
  const Span place = root.is_scalar() ? root.span : document.root["meta"]["op_name"].span;
  const std::string& folder = sources.operator_folder;
  if (said != expected) {
    diagnostics.add(kBuildModePlace, place, fmt::format("op_root {} is not {}", said, expected));
  } else if (!folder.empty() && folder != said && !folder.ends_with("/" + said)) {
    diagnostics.add(kBuildModePlace,
                    place,
                    fmt::format("{} is expected, the operator lies in {}", said, folder));
  }
}

}  // namespace

std::optional<Contract> read_contract(const Sources& sources, Diagnostics& diagnostics) {
  std::optional<Document> document = read_document(sources.texts, sources.design, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  if (sources.status >= 0) {
    take_status(sources, *document, diagnostics);
  }
  check_place(sources, *document, diagnostics);
  std::optional<Contract> contract = check(*document,
                                           sources.texts,
                                           choose_header(sources, document->op_name),
                                           sources.headers,
                                           diagnostics);
  return diagnostics.has_errors() ? std::nullopt : std::move(contract);
}

}  // namespace shmem_bind::contract
