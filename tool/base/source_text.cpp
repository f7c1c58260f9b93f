#include "tool/base/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace shmem_bind {
namespace {

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::string caret_lines(const SourceTexts::Place& place, const Span& span) {
  if (place.line_text.empty()) {
    return "";
  }
  const size_t room =
      characters(place.line_text) + 1 - std::min(place.column, characters(place.line_text) + 1);
  const size_t width = std::max<size_t>(1, std::min(span.end - span.begin, room));
  return fmt::format("    {}\n    {}^{}\n",
                     place.line_text,
                     std::string(place.column - 1, ' '),
                     std::string(width - 1, '~'));
}

}  // namespace

int SourceTexts::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<int>(files_.size()) - 1;
}

SourceTexts::Place SourceTexts::place(const Span& span) const {
  const std::string& whole = text(span.source);
  const size_t at = std::min(span.begin, whole.size());
  const size_t before = at == 0 ? std::string::npos : whole.rfind('\n', at - 1);
  const size_t start = before == std::string::npos ? 0 : before + 1;
  const size_t end = std::min(whole.find('\n', at), whole.size());
  Place place;
  place.line = 1 + static_cast<size_t>(std::count(
                       whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  place.column = characters(std::string_view(whole).substr(start, at - start)) + 1;
  place.line_text = std::string_view(whole).substr(start, end - start);
  if (!place.line_text.empty() && place.line_text.back() == '\r') {
    place.line_text.remove_suffix(1);
  }
  return place;
}

std::string to_text(const Diagnostic& diagnostic, const SourceTexts& sources) {
  const Rule& rule = *diagnostic.rule;
  std::string out;
  SourceTexts::Place place;
  if (!sources.empty()) {
    place = sources.place(diagnostic.span);
    out = fmt::format("{}:{}:{}: ", sources.name(diagnostic.span.source), place.line, place.column);
  }
  out += fmt::format("{}[{}]: {}{}{}\n",
                     severity_name(rule.severity),
                     rule.code,
                     rule.text,
                     diagnostic.detail.empty() ? "" : ": ",
                     diagnostic.detail);
  if (!sources.empty()) {
    out += caret_lines(place, diagnostic.span);
  }
  for (const auto& [span, text] : diagnostic.related) {
    const auto other = sources.place(span);
    out += fmt::format(
        "{}:{}:{}: note: {}\n", sources.name(span.source), other.line, other.column, text);
    out += caret_lines(other, span);
  }
  if (!rule.hint.empty()) {
    out += fmt::format("    way out: {}\n", rule.hint);
  }
  return out;
}

std::string to_json(const Diagnostics& diagnostics, const SourceTexts& sources) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& item : diagnostics.list()) {
    nlohmann::ordered_json entry = {{"code", item.rule->code},
                                    {"severity", severity_name(item.rule->severity)}};
    const auto locate = [&](nlohmann::ordered_json& target, const Span& span) {
      const auto place = sources.place(span);
      target["file"] = sources.name(span.source);
      target["line"] = place.line;
      target["column"] = place.column;
    };
    if (!sources.empty()) {
      locate(entry, item.span);
    }
    entry["text"] = item.rule->text;
    entry["detail"] = item.detail;
    entry["hint"] = item.rule->hint;
    entry["related"] = nlohmann::ordered_json::array();
    for (const auto& [span, text] : item.related) {
      nlohmann::ordered_json related = {{"text", text}};
      locate(related, span);
      entry["related"].push_back(related);
    }
    list.push_back(entry);
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace shmem_bind
