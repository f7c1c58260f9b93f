#include "tool/contract/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <map>

#include "tool/contract/errors.h"

namespace shmem_bind::contract {
namespace {

constexpr int kMostNodes = 100000;
constexpr int kDeepest = 64;

class Converter {
 public:
  Converter(Span place, Diagnostics& diagnostics) : place_(place), diagnostics_(diagnostics) {}

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
      YamlNode key = convert(entry.first, depth + 1);
      const auto [first, fresh] = seen.emplace(key.text, key.span);
      if (!fresh) {
        diagnostics_.add(kDuplicateKey, key.span, key.text)
            .related.emplace_back(first->second, "first here");
      }
      result.entries.push_back({std::move(key), convert(entry.second, depth + 1)});
    }
  }

  Span span_of(const YAML::Node& node) const {
    const int position = node.Mark().pos;
    const size_t begin = place_.begin + (position < 0 ? 0 : static_cast<size_t>(position));
    const size_t length = node.IsScalar() ? node.Scalar().size() + (node.Tag() == "!" ? 2 : 0) : 1;
    return {place_.source, begin, begin + std::max<size_t>(length, 1)};
  }

  Span place_;
  Diagnostics& diagnostics_;
  int count_ = 0;
  bool too_large_ = false;
};

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

YamlNode parse_yaml(std::string_view text, Span place, Diagnostics& diagnostics) {
  try {
    Converter converter(place, diagnostics);
    YamlNode root = converter.convert(YAML::Load(std::string(text)), 0);
    return converter.too_large() ? YamlNode{} : root;
  } catch (const YAML::Exception& error) {
    const size_t at = place.begin + static_cast<size_t>(std::max(error.mark.pos, 0));
    diagnostics.add(kBadYaml, {place.source, at, at + 1}, error.msg);
    return {};
  }
}

}  // namespace shmem_bind::contract
