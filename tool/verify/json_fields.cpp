#include "tool/verify/json_fields.h"

namespace shmem_bind::verify {
namespace {

const Json* field(const Json& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

std::string text_in(const Json& object, const char* key) {
  const Json* value = field(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

int64_t integer_in(const Json& object, const char* key, int64_t otherwise) {
  const Json* value = field(object, key);
  return value != nullptr && value->is_number_integer() ? value->get<int64_t>() : otherwise;
}

double number_in(const Json& object, const char* key) {
  const Json* value = field(object, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0;
}

bool flag_in(const Json& object, const char* key) {
  const Json* value = field(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::vector<std::string> texts_in(const Json& object, const char* key) {
  std::vector<std::string> texts;
  for (const Json& item : list_in(object, key)) {
    texts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  }
  return texts;
}

const Json& list_in(const Json& object, const char* key) {
  static const Json empty = Json::array();
  const Json* value = field(object, key);
  return value != nullptr && value->is_array() ? *value : empty;
}

const Json& object_in(const Json& object, const char* key) {
  static const Json empty = Json::object();
  const Json* value = field(object, key);
  return value != nullptr && value->is_object() ? *value : empty;
}

std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shmem_bind::verify
