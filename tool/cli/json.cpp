#include "tool/cli/json.h"

#include <fmt/format.h>

#include "tool/base/text.h"

namespace shmem_bind::cli {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_list(const std::vector<std::string>& values) {
  return "[" + joined(values, ",") + "]";
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) {
    values.push_back(json_text(text));
  }
  return json_list(values);
}

JsonObject& JsonObject::add_value(std::string_view name, std::string json) {
  body_ += fmt::format("{}{}:{}", body_.empty() ? "" : ",", json_text(name), json);
  return *this;
}

}  // namespace shmem_bind::cli
