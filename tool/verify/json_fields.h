#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Fields of a JSON object that somebody else wrote: one that is missing or of another type reads as
// the default, it never throws.

namespace shmem_bind::verify {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& object, const char* key);
int64_t integer_in(const Json& object, const char* key, int64_t otherwise = 0);
double number_in(const Json& object, const char* key);
bool flag_in(const Json& object, const char* key);
std::vector<std::string> texts_in(const Json& object, const char* key);
const Json& list_in(const Json& object, const char* key);    // an array
const Json& object_in(const Json& object, const char* key);  // an object

// Printed with two spaces; bytes that are no UTF-8 are replaced.
std::string printed(const Json& json);

}  // namespace shmem_bind::verify
