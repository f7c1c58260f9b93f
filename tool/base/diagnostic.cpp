#include "tool/base/diagnostic.h"

#include <algorithm>
#include <utility>

namespace shmem_bind {

Diagnostic& Diagnostics::add(const Rule& rule, Span span, std::string detail) {
  list_.push_back({&rule, span, std::move(detail), {}});
  return list_.back();
}

bool Diagnostics::has_errors() const {
  return std::any_of(list_.begin(), list_.end(), [](const Diagnostic& d) {
    return d.rule->severity == Severity::kError;
  });
}

}  // namespace shmem_bind
