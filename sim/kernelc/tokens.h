#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Preprocessed C++ as a list of tokens that can be printed back unchanged. Comments are gone; line
// markers (`# 12 "a.cpp"`) are tokens of their own and give every token its place in the user's
// file.

namespace shmem_sim::kernelc {

struct Token {
  enum class Kind : uint8_t { kIdentifier, kNumber, kText, kSymbol, kSpace, kMarker };
  Kind kind = Kind::kSymbol;
  std::string_view text;  // into the source
  int file = 0;           // index into Tokens::files
  int line = 1;
};

struct Tokens {
  std::vector<Token> list;
  std::vector<std::string> files;
};

// `source` must outlive the result. Symbols are single characters, except `::`, `->`, `<<<`.
Tokens tokenize(std::string_view source);

}  // namespace shmem_sim::kernelc
