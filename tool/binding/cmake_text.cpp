#include "tool/binding/cmake_text.h"

#include <algorithm>
#include <cctype>

namespace shmem_bind::binding {
namespace {

using Kind = CMakeArgument::Kind;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// What a backslash and `c` mean; empty when CMake knows no such escape.
std::optional<std::string> escaped(char c) {
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case ';':
      return "\\;";
    case '\n':
      return "";
    default:
      return is_name(c) ? std::nullopt : std::optional(std::string(1, c));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  CMakeText parse() {
    if (text_.starts_with(kByteOrderMark)) {
      at_ = kByteOrderMark.size();
    }
    bool line_has_command = false;
    while (skip_space(line_has_command)) {
      if (line_has_command) {
        fail("two commands in one line");
        break;
      }
      if (!read_command()) {
        break;
      }
      line_has_command = true;
    }
    close_blocks();
    return std::move(result_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool at_end() const { return at_ >= text_.size(); }

  bool fail(std::string what) { return fail_at(at_, std::move(what)); }
  bool fail_at(size_t at, std::string what) {
    if (!result_.mistake) {
      result_.mistake = CMakeMistake{at, std::move(what)};
    }
    return false;
  }

  // Length of `[`, `=`…, `[` at `at`; 0 when none stands there.
  size_t bracket_length(size_t at) const {
    if (at >= text_.size() || text_[at] != '[') {
      return 0;
    }
    const size_t end = text_.find_first_not_of('=', at + 1);
    return end != std::string_view::npos && text_[end] == '[' ? end + 1 - at : 0;
  }

  // The contents of the bracket at `at_`, which is then behind it.
  std::optional<std::string> read_bracket() {
    const size_t length = bracket_length(at_);
    const std::string close = "]" + std::string(length - 2, '=') + "]";
    size_t begin = at_ + length;
    const size_t end = text_.find(close, begin);
    if (end == std::string_view::npos) {
      fail("a bracket that is not closed by " + close);
      return std::nullopt;
    }
    if (text_.substr(begin, 2) == "\r\n") {
      begin += 2;
    } else if (begin < end && text_[begin] == '\n') {
      begin += 1;
    }
    at_ = end + close.size();
    return std::string(text_.substr(begin, end - begin));
  }

  // Spaces and comments; false at the end or after a mistake. A line end clears `in_line`.
  bool skip_space(bool& in_line) {
    while (!at_end()) {
      if (is_space(peek())) {
        in_line = in_line && peek() != '\n';
        ++at_;
      } else if (peek() == '#') {
        if (!skip_comment()) {
          return false;
        }
      } else {
        return true;
      }
    }
    return false;
  }

  bool skip_comment() {
    if (bracket_length(at_ + 1) > 0) {
      ++at_;
      return read_bracket().has_value();
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }

  bool read_command() {
    CMakeCommand command;
    command.begin = at_;
    while (!at_end() && is_name(peek())) {
      command.name += static_cast<char>(std::tolower(static_cast<unsigned char>(peek())));
      ++at_;
    }
    if (command.name.empty() || std::isdigit(static_cast<unsigned char>(command.name[0])) != 0) {
      return fail_at(command.begin, "not a command");
    }
    while (peek() == ' ' || peek() == '\t') {
      ++at_;
    }
    if (peek() != '(') {
      return fail("no '(' behind the name of a command");
    }
    command.open = at_++;
    return read_arguments(command) && place(std::move(command));
  }

  bool read_arguments(CMakeCommand& command) {
    size_t depth = 0;
    bool ignored = false;
    while (skip_space(ignored)) {
      CMakeArgument argument;
      argument.begin = at_;
      if (peek() == ')' && depth == 0) {
        command.close = at_++;
        return true;
      }
      if (peek() == '(' || peek() == ')') {
        argument.kind = Kind::kParenthesis;
        argument.value = peek();
        depth = peek() == '(' ? depth + 1 : depth - 1;
        ++at_;
      } else if (!read_value(argument)) {
        return false;
      }
      argument.end = at_;
      command.arguments.push_back(std::move(argument));
    }
    return fail_at(command.open, command.name + "( is not closed");
  }

  bool read_value(CMakeArgument& argument) {
    if (bracket_length(at_) > 0) {
      argument.kind = Kind::kBracket;
      auto value = read_bracket();
      argument.value = value.value_or("");
      return value.has_value();
    }
    if (peek() == '"') {
      argument.kind = Kind::kQuoted;
      return read_quoted(argument.value);
    }
    return read_unquoted(argument.value);
  }

  bool read_escape(std::string& value) {
    const auto text = at_ + 1 < text_.size() ? escaped(peek(1)) : std::nullopt;
    if (!text) {
      return fail("a backslash in front of what needs none");
    }
    value += *text;
    at_ += 2;
    return true;
  }

  bool read_quoted(std::string& value) {
    const size_t begin = at_++;
    while (!at_end() && peek() != '"') {
      if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n') {
        at_ += 3;
      } else if (peek() == '\\') {
        if (!read_escape(value)) {
          return false;
        }
      } else {
        value += text_[at_++];
      }
    }
    if (at_end()) {
      return fail_at(begin, "a quote that is not closed");
    }
    ++at_;
    return true;
  }

  // Old forms included: -Da="b c" and $(NAME) are one argument.
  bool read_unquoted(std::string& value) {
    while (!at_end() && !is_space(peek()) && peek() != ')' && peek() != '#') {
      if (peek() == '\\') {
        if (!read_escape(value)) {
          return false;
        }
      } else if (peek() == '"') {
        const size_t begin = at_;
        std::string ignored;
        if (!read_quoted(ignored)) {
          return false;
        }
        value += text_.substr(begin, at_ - begin);
      } else if (peek() == '(') {
        const size_t end = text_.find_first_of(" \t\r\n()#\"\\", at_ + 1);
        if (value.empty() || value.back() != '$' || end == std::string_view::npos ||
            text_[end] != ')') {
          break;
        }
        value += text_.substr(at_, end + 1 - at_);
        at_ = end + 1;
      } else {
        value += text_[at_++];
      }
    }
    return true;
  }

  // Adds the command, inside the blocks that are open.
  bool place(CMakeCommand command) {
    static constexpr std::string_view kOpeners[] = {
        "if", "foreach", "while", "function", "macro", "block"};
    if (command.name.starts_with("end") &&
        std::count(std::begin(kOpeners), std::end(kOpeners), command.name.substr(3)) > 0) {
      if (open_.empty() || "end" + result_.commands[open_.back()].name != command.name) {
        return fail_at(command.begin, command.name + "() closes nothing");
      }
      open_.pop_back();
    }
    command.blocks = open_;
    if (std::count(std::begin(kOpeners), std::end(kOpeners), command.name) > 0) {
      open_.push_back(result_.commands.size());
    }
    result_.commands.push_back(std::move(command));
    return true;
  }

  void close_blocks() {
    if (!open_.empty() && !result_.mistake) {
      const CMakeCommand& command = result_.commands[open_.back()];
      fail_at(command.begin, command.name + "() without end" + command.name + "()");
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<size_t> open_;
  CMakeText result_;
};

}  // namespace

bool CMakeCommand::is(std::string_view command, std::string_view first_argument) const {
  return name == command && !arguments.empty() && arguments[0].value == first_argument;
}

CMakeText parse_cmake(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace shmem_bind::binding
