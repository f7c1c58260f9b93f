#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the user has to be told about his own files: data, collected, printed once at the end.
// A failure of the machine (disk, compiler, network) is not a diagnostic; see base/result.h.

namespace shmem_bind {

// Bytes [begin, end) of one source text. Line and column are computed only when printing.
struct Span {
  int source = 0;  // index into the run's SourceTexts (0: design.md)
  size_t begin = 0;
  size_t end = 0;
};

enum class Severity { kError, kWarning, kNote };

// One kind of complaint. All of a module's kinds stand together in its errors.h.
struct Rule {
  std::string_view code;  // stable, never reused: users and tests refer to it
  std::string_view text;  // what is wrong
  std::string_view hint;  // what to do
  Severity severity = Severity::kError;
};

struct Diagnostic {
  const Rule* rule;
  Span span;
  std::string detail;  // the thing: names, values, the nearest known key
  std::vector<std::pair<Span, std::string>>
      related;  // other places, e.g. where the first one stands
};

class Diagnostics {
 public:
  Diagnostic& add(const Rule& rule, Span span, std::string detail = {});

  // A stage ends with `if (diagnostics.has_errors()) return …`: one run tells everything a stage
  // can see.
  bool has_errors() const;
  std::span<const Diagnostic> list() const { return list_; }

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace shmem_bind
