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

// Columns a terminal gives a character: two for those of East Asian scripts and full-width forms.
size_t width_of(std::string_view character) {
  if (character.size() < 3) {
    return 1;
  }
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 4) {
    return byte(1) >= 0x9f ? 2 : 1;  // from U+1F000: emoji, ideographs beyond the basic plane
  }
  const unsigned code = ((byte(0) & 0x0fu) << 12) | ((byte(1) & 0x3fu) << 6) | (byte(2) & 0x3fu);
  const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                    (code >= 0xffe0 && code <= 0xffe6);
  return wide ? 2 : 1;
}

// As many blanks as the text takes on a terminal; tabs stay tabs.
std::string blank_of(std::string_view text, char blank) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && (text[end] & 0xc0) == 0x80) {
      ++end;
    }
    out +=
        text[i] == '\t' ? std::string("\t") : std::string(width_of(text.substr(i, end - i)), blank);
    i = end;
  }
  return out;
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

// The bytes of the well-formed UTF-8 character at the start; 0 when there is none.
size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t bytes = lead < 0x80   ? 1
                       : lead < 0xc2 ? 0
                       : lead < 0xe0 ? 2
                       : lead < 0xf0 ? 3
                       : lead < 0xf5 ? 4
                                     : 0;
  if (bytes > text.size()) {
    return 0;
  }
  const std::string_view rest = text.substr(1, bytes == 0 ? 0 : bytes - 1);
  const bool whole =
      std::all_of(rest.begin(), rest.end(), [](char c) { return (c & 0xc0) == 0x80; });
  return whole ? bytes : 0;
}

// What a terminal can show: control characters and bytes that are no text become U+FFFD.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (bytes == 0 || (first < 0x20 && first != '\t') || first == 0x7f) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<size_t>(1, bytes));
  }
  return out;
}

// At most `limit` bytes of the text's end or start, cut between characters.
std::string last_of(std::string text, size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  size_t start = text.size() - limit;
  while (start < text.size() && (text[start] & 0xc0) == 0x80) {
    ++start;
  }
  return "…" + text.substr(start);
}
std::string first_of(std::string text, size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 && (text[limit] & 0xc0) == 0x80) {
    --limit;
  }
  return text.substr(0, limit) + "…";
}

// The line with the marked place; long lines are cut around it.
std::string caret_lines(const SourceTexts::Place& place, const Span& span) {
  constexpr size_t kBefore = 120;
  constexpr size_t kMarkedAndBehind = 160;
  if (place.line_text.empty()) {
    return "";
  }
  const size_t at = std::min(place.offset, place.line_text.size());
  const std::string before = last_of(printable(place.line_text.substr(0, at)), kBefore);
  const std::string_view rest = place.line_text.substr(at);
  const std::string shown = first_of(printable(rest), kMarkedAndBehind);
  const std::string marked =
      printable(rest.substr(0, std::max<size_t>(1, span.end - span.begin))).substr(0, shown.size());
  std::string tildes = blank_of(marked, '~');
  std::replace(tildes.begin(), tildes.end(), '\t', '~');
  return fmt::format("    {}{}\n    {}^{}\n",
                     before,
                     shown,
                     blank_of(before, ' '),
                     tildes.empty() ? "" : tildes.substr(1));
}

}  // namespace

int SourceTexts::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<int>(files_.size()) - 1;
}

SourceTexts::Place SourceTexts::place(const Span& span) const {
  const std::string_view whole = text(span.source);
  const size_t at = std::min(span.begin, whole.size());
  // A line ends with "\n", "\r\n" or "\r", as in Markdown.
  Place place;
  size_t start = 0;
  for (size_t i = 0; i < at; ++i) {
    if (whole[i] == '\n' || (whole[i] == '\r' && (i + 1 == whole.size() || whole[i + 1] != '\n'))) {
      ++place.line;
      start = i + 1;
    }
  }
  const size_t end = std::min(whole.find_first_of("\r\n", at), whole.size());
  place.offset = at - start;
  place.column = characters(whole.substr(start, at - start)) + 1;
  place.line_text = whole.substr(start, end - start);
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
