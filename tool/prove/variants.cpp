#include "tool/prove/variants.h"

#include <fmt/format.h>

#include <algorithm>

namespace shmem_bind::prove {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

Variant& Maker::next(const std::string& title,
                     std::vector<Probe> probes,
                     const std::string& missed) {
  Variant variant;
  variant.row.id = fmt::format("{}{:02}", kind_.front(), variants_.size() + 1);
  variant.row.kind = kind_;
  variant.row.title = title;
  variant.row.by = missed;
  variant.probes = std::move(probes);
  variants_.push_back(std::move(variant));
  return variants_.back();
}

void Maker::add(const std::string& title,
                const std::vector<Edit>& edits,
                std::vector<Probe> probes,
                const std::string& missed) {
  Variant& variant = next(title, std::move(probes), missed);
  for (const Edit& edit : edits) {
    const auto original = texts_.find(edit.text);
    std::string& text = variant.texts[edit.text];
    if (text.empty() && original != texts_.end()) {
      text = original->second;
    }
    if (const size_t count = count_of(text, edit.from); count != 1) {
      variant.row.state = "not applicable";
      variant.row.by = fmt::format(
          "{} times in the {}: {}", count, edit.text, edit.from.substr(0, edit.from.find('\n')));
      return;
    }
    text.replace(text.find(edit.from), edit.from.size(), edit.to);
  }
}

void Maker::leave_out(const std::string& title, const std::string& reason) {
  next(title, {}, reason).row.state = "not applicable";
}

void Maker::add_text(const std::string& title,
                     const std::string& name,
                     std::string text,
                     std::vector<Probe> probes,
                     const std::string& missed,
                     const std::string& equivalent) {
  Variant& variant = next(title, std::move(probes), missed);
  variant.texts[name] = std::move(text);
  variant.equivalent = equivalent;
}

ClassParts parts_of(const std::string& source) {
  constexpr std::string_view kBegin = "\nnamespace ShmemOps {";
  constexpr std::string_view kEnd = "}  // namespace ShmemOps\n";
  constexpr std::string_view kRegister = "REGISTER_SHMEM_OPS_CLASS(";
  ClassParts parts;
  const size_t begin = source.find(kBegin);
  const size_t end = source.find(kEnd, begin);
  const size_t registration = source.find(kRegister, end);
  if (registration == std::string::npos) {
    return parts;
  }
  parts.prelude = source.substr(0, begin + 1);
  parts.body = source.substr(begin + 1, end + kEnd.size() - begin - 1);
  const size_t first = registration + kRegister.size();
  parts.registration = source.substr(first, source.find(");\n", first) - first);
  return parts;
}

}  // namespace shmem_bind::prove
