#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/base/diagnostic.h"

namespace shmem_bind {

// The texts diagnostics point into; Span::source is the index.
class SourceTexts {
 public:
  int add(std::string name, std::string text);
  const std::string& name(int source) const { return files_[static_cast<size_t>(source)].name; }
  const std::string& text(int source) const { return files_[static_cast<size_t>(source)].text; }
  bool empty() const { return files_.empty(); }

  struct Place {
    size_t line = 1;    // from 1
    size_t column = 1;  // from 1, in characters
    size_t offset = 0;  // the same in bytes, from 0
    std::string_view line_text;
  };
  Place place(const Span& span) const;

 private:
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files_;
};

// `file:line:col: error[C014]: text: detail`, the line, a caret, the hint and related places.
std::string to_text(const Diagnostic& diagnostic, const SourceTexts& sources);

// A JSON array of objects {code, severity, file, line, column, text, detail, hint, related}.
std::string to_json(const Diagnostics& diagnostics, const SourceTexts& sources);

}  // namespace shmem_bind
