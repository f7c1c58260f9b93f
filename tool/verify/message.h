#pragma once

#include <string>
#include <string_view>
#include <vector>

// What verdicts and reports say to people, in English and in Chinese: one table, message.cpp.

namespace shmem_bind::verify {

enum class Language { kEnglish, kChinese };

// A sentence of the table with what its {} stand for.
struct Message {
  std::string id;
  std::vector<std::string> arguments;
  bool operator==(const Message&) const = default;
};

// The id itself when the table lacks it: the message of a newer version.
std::string text_of(const Message& message, Language language);

// A word or heading without arguments.
std::string text_of(std::string_view id, Language language);

// "2 and 8", in the language.
std::string enumeration(const std::vector<std::string>& items, Language language);

}  // namespace shmem_bind::verify
