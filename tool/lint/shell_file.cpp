#include "tool/lint/shell_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace shmem_bind::lint {
namespace {

class ShellReader {
 public:
  explicit ShellReader(const std::string& text) : text_(text) {}

  ShellFile read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#' && !is_open_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n;&|()<>").find(text_[at_]) != std::string_view::npos) {
        end_word();
        ++at_;
      } else {
        begin_word();
        read_part();
      }
    }
    end_word();
    return std::move(file_);
  }

 private:
  void begin_word() {
    if (!is_open_) {
      is_open_ = true;
      file_.words.push_back({"", at_, at_});
    }
  }

  void end_word() {
    if (is_open_) {
      file_.words.back().end = at_;
      is_open_ = false;
    }
  }

  // A quoted part, or one character.
  void read_part() {
    const char c = text_[at_++];
    std::string& word = file_.words.back().text;
    if (c == '\\') {
      word += at_ < text_.size() ? text_.substr(at_++, 1) : "";
    } else if (c == '\'' || c == '"') {
      for (; at_ < text_.size() && text_[at_] != c; ++at_) {
        if (c == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
          ++at_;
        }
        word += text_[at_];
      }
      at_ = std::min(at_ + 1, text_.size());
    } else {
      word += c;
    }
  }

  const std::string& text_;
  size_t at_ = 0;
  bool is_open_ = false;
  ShellFile file_;
};

}  // namespace

ShellFile read_shell(const std::string& text) {
  return ShellReader(text).read();
}

}  // namespace shmem_bind::lint
