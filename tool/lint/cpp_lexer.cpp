#include <clang-c/Index.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tool/base/text.h"
#include "tool/lint/cpp_file.h"
#include "tool/lint/cpp_lexer.h"

namespace shmem_bind::lint {
namespace {

constexpr const char* kName = "/shmem-bind-lint/source.cpp";

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string result = chars == nullptr ? "" : chars;
  clang_disposeString(text);
  return result;
}

size_t offset_of(CXSourceLocation location) {
  unsigned offset = 0;
  clang_getSpellingLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

// Behind the directive's last line; a backslash continues one.
size_t directive_end(const std::string& text, size_t at) {
  for (;;) {
    const size_t line_end = text.find('\n', at);
    if (line_end == std::string::npos) {
      return text.size();
    }
    const size_t last = line_end > 0 && text[line_end - 1] == '\r' ? line_end - 1 : line_end;
    if (last == 0 || text[last - 1] != '\\') {
      return line_end;
    }
    at = line_end + 1;
  }
}

bool begins_line(const std::string& text, size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
    --at;
  }
  return at == 0 || text[at - 1] == '\n';
}

// "#include <torch/library.h>" -> torch/library.h
std::string included(std::string_view directive) {
  const size_t word = directive.find("include");
  const size_t open = directive.find_first_of("<\"");
  const size_t close =
      open == std::string_view::npos ? open : directive.find_first_of(">\"", open + 1);
  return word == std::string_view::npos || word > open || close == std::string_view::npos
             ? ""
             : std::string(directive.substr(open + 1, close - open - 1));
}

// What stands between `#if 0` and its end, or behind `#if 1` … `#else`, is no code.
class Conditions {
 public:
  void see(std::string_view directive) {
    const std::string word = word_of(directive);
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      open_.push_back(word == "if" ? state_of(directive) : State::kUnknown);
    } else if (!open_.empty() && word == "else") {
      open_.back() = open_.back() == State::kDead   ? State::kLive
                     : open_.back() == State::kLive ? State::kDead
                                                    : State::kUnknown;
    } else if (!open_.empty() && word == "elif") {
      open_.back() = open_.back() == State::kLive ? State::kDead : State::kUnknown;
    } else if (!open_.empty() && word == "endif") {
      open_.pop_back();
    }
  }
  bool is_dead() const {
    return std::find(open_.begin(), open_.end(), State::kDead) != open_.end();
  }

 private:
  enum class State { kUnknown, kLive, kDead };

  static std::string word_of(std::string_view directive) {
    const size_t begin = directive.find_first_not_of("# \t");
    const size_t end = directive.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin);
    return begin == std::string_view::npos ? "" : std::string(directive.substr(begin, end - begin));
  }

  static State state_of(std::string_view directive) {
    const size_t at = directive.find("if") + 2;
    const std::string_view condition = trimmed(directive.substr(at));
    return condition == "0" || condition == "false"  ? State::kDead
           : condition == "1" || condition == "true" ? State::kLive
                                                     : State::kUnknown;
  }

  std::vector<State> open_;
};

using Unit = std::unique_ptr<CXTranslationUnitImpl, void (*)(CXTranslationUnit)>;

Unit parse(CXIndex index, const std::string& text) {
  CXUnsavedFile file{kName, text.data(), text.size()};
  const std::array arguments = {"-x",
                                "c++",
                                "-std=c++20",
                                "-nostdinc",
                                // No compiler of this machine is looked for.
                                "--gcc-toolchain=/shmem-bind",
                                "--cuda-path=/shmem-bind",
                                "--rocm-path=/shmem-bind"};
  return {clang_parseTranslationUnit(index,
                                     kName,
                                     arguments.data(),
                                     static_cast<int>(arguments.size()),
                                     &file,
                                     1,
                                     CXTranslationUnit_SkipFunctionBodies |
                                         CXTranslationUnit_SingleFileParse |
                                         CXTranslationUnit_KeepGoing),
          &clang_disposeTranslationUnit};
}

void add_tokens(CXTranslationUnit unit, const std::string& text, CppFile& file) {
  CXFile source = clang_getFile(unit, kName);
  const CXSourceRange range =
      clang_getRange(clang_getLocationForOffset(unit, source, 0),
                     clang_getLocationForOffset(unit, source, static_cast<unsigned>(text.size())));
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, range, &tokens, &count);
  size_t skipped_to = 0;
  Conditions conditions;
  for (unsigned i = 0; i < count; ++i) {
    const CXTokenKind kind = clang_getTokenKind(tokens[i]);
    const CXSourceRange extent = clang_getTokenExtent(unit, tokens[i]);
    const size_t begin = offset_of(clang_getRangeStart(extent));
    if (begin < skipped_to || kind == CXToken_Comment) {
      continue;
    }
    CppToken token{take(clang_getTokenSpelling(unit, tokens[i])),
                   begin,
                   offset_of(clang_getRangeEnd(extent)),
                   kind == CXToken_Identifier || kind == CXToken_Keyword,
                   kind == CXToken_Literal};
    if (token.text == "#" && begins_line(text, begin)) {
      skipped_to = directive_end(text, begin);
      conditions.see(std::string_view(text).substr(begin, skipped_to - begin));
      if (std::string name = included(std::string_view(text).substr(begin, skipped_to - begin));
          !name.empty()) {
        file.includes.push_back(std::move(name));
      }
      continue;
    }
    if (!conditions.is_dead()) {
      file.tokens.push_back(std::move(token));
    }
  }
  clang_disposeTokens(unit, tokens, count);
}

}  // namespace

void read_tokens(const std::string& text, CppFile& file) {
  const std::unique_ptr<void, void (*)(CXIndex)> index(clang_createIndex(0, 0),
                                                       &clang_disposeIndex);
  if (const Unit unit = parse(index.get(), text)) {
    add_tokens(unit.get(), text, file);
  }
}

}  // namespace shmem_bind::lint
