#include "sim/kernelc/tokens.h"

#include <cctype>
#include <cstdlib>

namespace shmem_sim::kernelc {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {
    result_.files.emplace_back("<unknown>");
  }

  Tokens run() {
    while (at_ < source_.size()) {
      step();
    }
    return std::move(result_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void add(Token::Kind kind, size_t end) {
    const std::string_view text = source_.substr(at_, end - at_);
    result_.list.push_back({kind, text, file_, line_});
    for (const char c : text) {
      line_ += c == '\n' ? 1 : 0;
    }
    at_line_start_ = kind == Token::Kind::kSpace
                         ? text.back() == '\n' || (at_line_start_ && text.find('\n') != text.npos)
                         : false;
    if (kind == Token::Kind::kSpace && text.find('\n') != std::string_view::npos) {
      at_line_start_ = true;
    }
    at_ = end;
  }

  void step() {
    const char c = peek();
    if (c == '#' && (at_line_start_ || at_ == 0)) {
      marker();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      size_t end = at_;
      while (end < source_.size() && std::isspace(static_cast<unsigned char>(source_[end])) != 0) {
        ++end;
      }
      add(Token::Kind::kSpace, end);
    } else if (starts_identifier(c)) {
      word();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0)) {
      number();
    } else if (c == '"' || c == '\'') {
      add(Token::Kind::kText, quoted_end(at_));
    } else {
      symbol();
    }
  }

  // `# 12 "file.cpp" 3 4`: the next line is line 12 of that file. Other directives (pragma) are
  // kept as they are.
  void marker() {
    const size_t newline = source_.find('\n', at_);
    const size_t end = newline == std::string_view::npos ? source_.size() : newline;
    const std::string text(source_.substr(at_, end - at_));
    add(Token::Kind::kMarker, end);
    char* after = nullptr;
    const long line = std::strtol(text.c_str() + 1, &after, 10);
    const size_t open = text.find('"');
    const size_t close = text.rfind('"');
    if (after == text.c_str() + 1 || open == std::string::npos || close == open) {
      return;
    }
    const std::string name = text.substr(open + 1, close - open - 1);
    file_ = 0;
    while (file_ < static_cast<int>(result_.files.size()) &&
           result_.files[static_cast<size_t>(file_)] != name) {
      ++file_;
    }
    if (file_ == static_cast<int>(result_.files.size())) {
      result_.files.push_back(name);
    }
    line_ = static_cast<int>(line) - 1;  // the newline behind the marker makes it `line`
  }

  void word() {
    size_t end = at_;
    while (end < source_.size() && continues_identifier(source_[end])) {
      ++end;
    }
    const std::string_view text = source_.substr(at_, end - at_);
    const bool prefix =
        text == "R" || text == "u8R" || text == "uR" || text == "UR" || text == "LR";
    if (prefix && end < source_.size() && source_[end] == '"') {
      add(Token::Kind::kText, raw_end(end));
    } else if (end < source_.size() && (source_[end] == '"' || source_[end] == '\'') &&
               (text == "u8" || text == "u" || text == "U" || text == "L")) {
      add(Token::Kind::kText, quoted_end(end));
    } else {
      add(Token::Kind::kIdentifier, end);
    }
  }

  void number() {
    size_t end = at_ + 1;
    while (end < source_.size()) {
      const char c = source_[end];
      const bool exponent_sign =
          (c == '+' || c == '-') &&
          std::string_view("eEpP").find(source_[end - 1]) != std::string_view::npos;
      const bool separator =
          c == '\'' && end + 1 < source_.size() && continues_identifier(source_[end + 1]);
      if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) {
        break;
      }
      ++end;
    }
    add(Token::Kind::kNumber, end);
  }

  size_t quoted_end(size_t open) const {
    const char quote = source_[open];
    size_t end = open + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
      end += source_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, source_.size());
  }

  size_t raw_end(size_t quote) const {
    const size_t open = source_.find('(', quote);
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t end = source_.find(close, open);
    return end == std::string_view::npos ? source_.size() : end + close.size();
  }

  void symbol() {
    size_t length = 1;
    if ((peek() == ':' && peek(1) == ':') || (peek() == '-' && peek(1) == '>')) {
      length = 2;
    } else if (peek() == '<' && peek(1) == '<' && peek(2) == '<' && !after_operator()) {
      length = 3;
    }
    add(Token::Kind::kSymbol, at_ + length);
  }

  // operator<<<T>(…) is a shift operator with template arguments.
  bool after_operator() const {
    for (size_t i = result_.list.size(); i-- > 0;) {
      if (result_.list[i].kind != Token::Kind::kSpace) {
        return result_.list[i].text == "operator";
      }
    }
    return false;
  }

  std::string_view source_;
  size_t at_ = 0;
  int file_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  Tokens result_;
};

}  // namespace

Tokens tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace shmem_sim::kernelc
