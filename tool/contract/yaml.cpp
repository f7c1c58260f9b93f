#include "tool/contract/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

constexpr int kMostNodes = 100000;
constexpr int kDeepest = 64;

class Converter {
 public:
  Converter(std::string_view text, const PlaceMap& places, Diagnostics& diagnostics)
      : text_(text), places_(places), diagnostics_(diagnostics) {}

  YamlNode convert(const YAML::Node& node, int depth) {
    YamlNode result;
    result.span = span_of(node);
    if (++count_ > kMostNodes || depth > kDeepest) {
      if (!too_large_) {
        too_large_ = true;
        diagnostics_.add(
            kBadYaml, result.span, "the document expands to too many or too deeply nested nodes");
      }
      return result;
    }
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        result.kind = YamlNode::Kind::kScalar;
        result.text = node.Scalar();
        break;
      case YAML::NodeType::Sequence:
        result.kind = YamlNode::Kind::kSequence;
        for (const auto& item : node) {
          if (too_large_) {
            break;
          }
          result.items.push_back(convert(item, depth + 1));
        }
        break;
      case YAML::NodeType::Map:
        result.kind = YamlNode::Kind::kMap;
        convert_map(node, result, depth);
        break;
      default:
        break;
    }
    return result;
  }

  bool too_large() const { return too_large_; }

 private:
  void convert_map(const YAML::Node& node, YamlNode& result, int depth) {
    std::map<std::string, Span> seen;
    for (const auto& entry : node) {
      if (too_large_) {
        break;
      }
      YamlNode key = convert(entry.first, depth + 1);
      if (!key.is_scalar()) {
        diagnostics_.add(
            kBadYaml, key.span, "a key is a text; quote it when it looks like something else");
      }
      const auto [first, fresh] = seen.emplace(key.text, key.span);
      if (!fresh && key.is_scalar()) {
        diagnostics_.add(kDuplicateKey, key.span, key.text)
            .related.emplace_back(first->second, "first here");
      }
      result.entries.push_back({std::move(key), convert(entry.second, depth + 1)});
    }
  }

  Span span_of(const YAML::Node& node) const {
    const int position = node.Mark().pos;
    const size_t begin = std::min(position < 0 ? 0 : static_cast<size_t>(position), text_.size());
    if (!node.IsScalar() || begin == text_.size()) {
      return places_.span(begin, begin + 1);
    }
    const char first = text_[begin];
    if (first != '"' && first != '\'') {
      return places_.span(begin, begin + std::max<size_t>(node.Scalar().size(), 1));
    }
    size_t end = begin + 1;
    while (end < text_.size() && text_[end] != first) {
      end += first == '"' && text_[end] == '\\' ? 2 : 1;
    }
    return places_.span(begin + 1, std::max(std::min(end, text_.size()), begin + 2));
  }

  std::string_view text_;
  const PlaceMap& places_;
  Diagnostics& diagnostics_;
  int count_ = 0;
  bool too_large_ = false;
};

// Where the documents of a text begin, and whether the last of them has content.
class DocumentStarts : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> marks;
  bool filled = false;

  void OnDocumentStart(const YAML::Mark& mark) override {
    marks.push_back(mark);
    filled = false;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { filled = true; }
  void OnScalar(const YAML::Mark&,
                const std::string&,
                YAML::anchor_t,
                const std::string&) override {
    filled = true;
  }
  void OnSequenceStart(const YAML::Mark&,
                       const std::string&,
                       YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    filled = true;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    filled = true;
  }
  void OnMapEnd() override {}
};

// Where something stands behind the first document. YAML::LoadAll does not end where a document
// begins with a ',': yaml-cpp sees an empty one there, and does not move on.
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  parser.HandleNextDocument(starts);
  parser.HandleNextDocument(starts);
  const bool more = starts.marks.size() == 2 && (starts.filled || parser);
  return more ? std::optional(starts.marks[1]) : std::nullopt;
}

// A syntax error on or behind a line with look-alike punctuation is most likely caused by it.
void report_syntax(std::string_view text,
                   const PlaceMap& places,
                   const YAML::Exception& error,
                   Diagnostics& diagnostics) {
  const size_t at = std::min(static_cast<size_t>(std::max(error.mark.pos, 0)), text.size());
  const auto line_start = [&](size_t from) {
    return from == 0 ? 0 : text.rfind('\n', from - 1) + 1;  // npos + 1 is 0
  };
  const size_t own = line_start(at);
  const size_t start = own == 0 ? 0 : line_start(own - 1);
  const LookAlike found = look_alike_in(text.substr(start, text.find('\n', at) - start));
  if (found.size == 0) {
    diagnostics.add(kBadYaml, places.span(at, at + 1), error.msg);
    return;
  }
  const size_t begin = start + found.offset;
  diagnostics.add(kLookAlike,
                  places.span(begin, begin + found.size),
                  fmt::format("'{}' for '{}'", text.substr(begin, found.size), found.ascii));
}

}  // namespace

const YamlNode& YamlNode::operator[](std::string_view key) const {
  static const YamlNode missing;
  for (const auto& [name, value] : entries) {
    if (name.text == key) {
      return value;
    }
  }
  return missing;
}

YamlNode parse_yaml(std::string_view text, const PlaceMap& places, Diagnostics& diagnostics) {
  try {
    const std::string copy(text);
    if (const auto second = second_document(copy)) {
      const size_t at = std::min(static_cast<size_t>(second->pos), text.size());
      const bool marked = text.substr(at).starts_with("---");
      const char* reason = marked ? "a second document begins (---)" : "nothing may begin here";
      report_syntax(text, places, YAML::ParserException(*second, reason), diagnostics);
      return {};
    }
    const YAML::Node document = YAML::Load(copy);
    if (document.IsNull()) {
      return {};
    }
    Converter converter(text, places, diagnostics);
    YamlNode root = converter.convert(document, 0);
    return converter.too_large() ? YamlNode{} : root;
  } catch (const YAML::Exception& error) {
    report_syntax(text, places, error, diagnostics);
    return {};
  }
}

LookAlike look_alike_in(std::string_view text) {
  struct Pair {
    std::string_view from;
    char to;
  };
  static constexpr std::array kPairs = {
      Pair{"：", ':'}, Pair{"，", ','}, Pair{"、", ','}, Pair{"；", ';'},    Pair{"（", '('},
      Pair{"）", ')'}, Pair{"【", '['}, Pair{"】", ']'}, Pair{"［", '['},    Pair{"］", ']'},
      Pair{"｛", '{'}, Pair{"｝", '}'}, Pair{"“", '"'},  Pair{"”", '"'},     Pair{"‘", '\''},
      Pair{"’", '\''}, Pair{"　", ' '}, Pair{"＝", '='}, Pair{"＊", '*'},    Pair{"＋", '+'},
      Pair{"－", '-'}, Pair{"＜", '<'}, Pair{"＞", '>'}, Pair{"\u00a0", ' '}};
  LookAlike first;
  for (const Pair& pair : kPairs) {
    const size_t at = text.find(pair.from);
    if (at != std::string_view::npos && (first.size == 0 || at < first.offset)) {
      first = {at, pair.from.size(), pair.to};
    }
  }
  return first;
}

}  // namespace shmem_bind::contract
