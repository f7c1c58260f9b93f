#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shmem_bind::cli {

// Text of a JSON value.
std::string json_text(std::string_view text);
std::string json_list(const std::vector<std::string>& values);  // of JSON values
std::string json_texts(const std::vector<std::string>& texts);

// One object, fields in the order they are added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) {
    return add_value(name, json_text(text));
  }
  JsonObject& add(std::string_view name, const char* text) {
    return add_value(name, json_text(text));
  }
  JsonObject& add(std::string_view name, bool value) {
    return add_value(name, value ? "true" : "false");
  }
  JsonObject& add(std::string_view name, int value) {
    return add_value(name, std::to_string(value));
  }
  JsonObject& add(std::string_view name, double value) {
    return add_value(name, std::to_string(value));
  }
  JsonObject& add_value(std::string_view name, std::string json);
  std::string text() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

}  // namespace shmem_bind::cli
