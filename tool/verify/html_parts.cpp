#include "tool/verify/html_parts.h"

#include <fmt/format.h>

#include "tool/verify/xml_text.h"

namespace shmem_bind::verify {
namespace {

constexpr Look kLooks[] = {
    {"verified", "good", "✓", "verified"},
    {"passed", "good", "✓", "passed"},
    {"killed", "good", "✓", "killed"},
    {"failed", "bad", "✗", "failed"},
    {"survived", "bad", "✗", "survived"},
    {"unverified", "odd", "?", "unverified"},
    {"invalid", "odd", "?", "invalid"},
    {"equivalent", "odd", "–", "equivalent"},
    {"not applicable", "odd", "–", "not applicable"},
    {"unclear", "odd", "?", "unclear"},
    {"open", "odd", "?", "not shown"},
    {"waived", "odd", "–", "left out as asked"},
    {"skipped", "odd", "–", "skipped"},
};

}  // namespace

Look look_of(std::string_view name) {
  for (const Look& look : kLooks) {
    if (look.name == name) {
      return look;
    }
  }
  return {name, "odd", "–", name};
}

std::string badge(std::string_view name) {
  const Look look = look_of(name);
  return fmt::format(
      "<span class=\"state {}\">{} {}</span>", look.css, look.symbol, escaped(look.word));
}

std::string cell(std::string_view name) {
  const Look look = look_of(name);
  return fmt::format(
      "<td class=\"state {}\">{} {}</td>", look.css, look.symbol, escaped(look.word));
}

std::string table_head(const std::vector<std::string>& columns) {
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& column : columns) {
    out += "<th scope=\"col\">" + escaped(column) + "</th>";
  }
  return out + "</tr></thead><tbody>\n";
}

}  // namespace shmem_bind::verify
