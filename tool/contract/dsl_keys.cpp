#include "tool/contract/dsl_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tool/base/text.h"
#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

enum class Form { kAny, kText, kList, kMap };

struct Key {
  std::string_view name;
  Form form = Form::kAny;
};

// A section, by its path; "[]" stands for every item of a list.
struct Section {
  std::string_view path;
  bool is_closed;  // every key is listed: others are warned of
  std::vector<Key> keys;
};

const std::vector<Section>& sections() {
  constexpr Form kText = Form::kText;
  constexpr Form kList = Form::kList;
  constexpr Form kMap = Form::kMap;
  static const std::vector<Section> list = {
      {"",
       false,
       {{"dsl_version", kText},
        {"meta", kMap},
        {"source", kMap},
        {"interface", kMap},
        {"memory", kMap},
        {"correctness", kMap},
        {"status", kMap},
        {"torch_binding", kMap}}},
      {"meta",
       true,
       {{"op_name", kText},
        {"op_kind", kText},
        {"build_mode", kText},
        {"op_root", kText},
        {"target_soc"},
        {"scope"},
        {"torch_required", kText},
        {"performance_required"},
        {"performance_auto_optim"},
        {"docker_container"},
        {"docker_workdir"},
        {"docker_exec_required"},
        {"skills_root"},
        {"shmem_repo"}}},
      {"source", false, {{"user_confirmations", kMap}}},
      {"interface",
       true,
       {{"inputs", kList},
        {"outputs", kList},
        {"attrs", kList},
        {"shape_relations", kList},
        {"dtypes"},
        {"shape"}}},
      {"interface.inputs[]",
       true,
       {{"name", kText}, {"dtype"}, {"shape"}, {"role"}, {"visibility"}, {"optional", kText}}},
      {"interface.outputs[]",
       true,
       {{"name", kText}, {"dtype"}, {"shape"}, {"role"}, {"visibility"}, {"optional", kText}}},
      {"interface.attrs[]", true, {{"name", kText}, {"type", kText}, {"default", kText}}},
      {"memory", false, {{"buffers", kList}, {"state", kText}}},
      {"memory.buffers[]", true, {{"name", kText}, {"type", kText}, {"size", kText}}},
      {"correctness", false, {{"case_matrix", kList}}},
      {"status", true, {{"correctness"}, {"review"}}},
      {"status.correctness", true, {{"result", kText}, {"evidence"}}},
      {"status.review", true, {{"result", kText}, {"evidence"}}},
      {"torch_binding",
       true,
       {{"class_name", kText},
        {"entry", kText},
        {"dtypes"},
        {"fixed"},
        {"block_dim", kText},
        {"n_pes"},
        {"arguments", kMap},
        {"state", kText},
        {"max", kMap},
        {"require"},
        {"aliases", kList},
        {"shared"},
        {"seed_includes", kText},
        {"golden", kText}}}};
  return list;
}

bool has_form(const YamlNode& node, Form form) {
  switch (form) {
    case Form::kAny:
      return true;
    case Form::kText:
      return node.is_scalar();
    case Form::kList:
      return node.is_sequence();
    case Form::kMap:
      return node.is_map();
  }
  return false;
}

std::string_view name_of(Form form) {
  return form == Form::kMap ? "a map" : form == Form::kList ? "a list" : "a text";
}

std::string path_of(const Section& section, const std::string& key) {
  return section.path.empty() ? key : fmt::format("{}.{}", section.path, key);
}

void check_section(const Section& section, const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  names.reserve(section.keys.size());
  for (const Key& key : section.keys) {
    names.emplace_back(key.name);
  }
  for (const auto& [key, value] : node.entries) {
    const auto known = std::find(names.begin(), names.end(), key.text);
    if (known == names.end()) {
      const std::string near = nearest_name(key.text, names);
      if (section.is_closed && look_alike_in(key.text).size == 0) {
        diagnostics.add(
            kUnknownKey,
            key.span,
            path_of(section, key.text) + (near.empty() ? "" : "; did you mean " + near + "?"));
      }
      continue;
    }
    const Form form = section.keys[static_cast<size_t>(known - names.begin())].form;
    if (value.exists() && !has_form(value, form)) {
      diagnostics.add(kWrongForm,
                      value.span,
                      fmt::format("{} is {}", path_of(section, key.text), name_of(form)));
    }
  }
}

// All nodes a path leads to.
std::vector<const YamlNode*> nodes_at(const YamlNode& root, std::string_view path) {
  std::vector<const YamlNode*> nodes = {&root};
  while (!path.empty()) {
    const size_t dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    const bool items = step.ends_with("[]");
    step.remove_suffix(items ? 2 : 0);
    std::vector<const YamlNode*> next;
    for (const YamlNode* node : nodes) {
      const YamlNode& value = (*node)[step];
      if (!items) {
        next.push_back(&value);
      }
      for (size_t i = 0; items && i < value.items.size(); ++i) {
        next.push_back(&value.items[i]);
      }
    }
    nodes = std::move(next);
  }
  return nodes;
}

bool is_placeholder(std::string_view text) {
  return text == "replace_me" || text == "TODO" || text == "TBD" || text == "todo" ||
         (text.size() > 2 && text.front() == '<' && text.back() == '>');
}

// Values a person may write in any language and punctuation.
bool is_prose(std::string_view key) {
  return key == "role" || key == "visibility" || key == "evidence" || key == "op_name" ||
         key.starts_with("docker_") || key == "skills_root" || key == "shmem_repo";
}

void check_text(const YamlNode& node, Diagnostics& diagnostics) {
  if (is_placeholder(node.text)) {
    diagnostics.add(kPlaceholder, node.span, node.text);
  }
  const LookAlike found = look_alike_in(node.text);
  if (found.size != 0) {
    const size_t at = node.span.begin + found.offset;
    diagnostics.add(
        kLookAlike,
        {node.span.source, at, at + found.size},
        fmt::format("'{}' for '{}'", node.text.substr(found.offset, found.size), found.ascii));
  }
}

void check_texts(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    check_text(node, diagnostics);
  }
  for (const YamlNode& item : node.items) {
    check_texts(item, diagnostics);
  }
  for (const auto& [key, value] : node.entries) {
    check_text(key, diagnostics);
    if (!is_prose(key.text)) {
      check_texts(value, diagnostics);
    }
  }
}

}  // namespace

void check_keys(const YamlNode& root, Diagnostics& diagnostics) {
  for (const Section& section : sections()) {
    for (const YamlNode* node : nodes_at(root, section.path)) {
      check_section(section, *node, diagnostics);
    }
  }
  for (const std::string_view name : {"meta", "interface", "torch_binding"}) {
    check_texts(root[name], diagnostics);
  }
}

}  // namespace shmem_bind::contract
