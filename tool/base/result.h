#pragma once

#include <string>
#include <utility>
#include <variant>

// A failure of the machine, not of the user's files: what was attempted, on what, and why it
// failed.

namespace shmem_bind {

struct Failure {
  std::string text;  // "cannot read docs/design.md: No such file or directory"

  // Puts what the caller was doing in front.
  Failure during(const std::string& what) && { return {what + ": " + text}; }
};

template <class T>
class Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a function says `return value;` or `return failure;`
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : value_(std::move(failure)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(value_); }
  const T& value() const { return std::get<T>(value_); }
  T& value() { return std::get<T>(value_); }
  const Failure& failure() const { return std::get<Failure>(value_); }

 private:
  std::variant<T, Failure> value_;
};

struct Done {};

}  // namespace shmem_bind
