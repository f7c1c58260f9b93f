#include "tool/binding/file_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

constexpr std::string_view kStamp = " Written by shmem-bind ";
constexpr std::string_view kTextMark = ", text ";
constexpr std::string_view kRegion = "shmem-bind: ";
constexpr std::string_view kOperator = "operator ";

struct StampLine {
  size_t begin = 0;
  size_t end = 0;  // behind the newline
  std::string digest;
};

std::optional<StampLine> find_stamp(const std::string& text) {
  const size_t at = text.find(kStamp);
  const size_t second_line_end = text.find('\n', text.find('\n') + 1);
  if (at == std::string::npos || at > second_line_end) {
    return std::nullopt;
  }
  StampLine stamp;
  stamp.begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  stamp.end = std::min(text.find('\n', at), text.size() - 1) + 1;
  const size_t mark = text.find(kTextMark, at);
  if (mark != std::string::npos && mark < stamp.end) {
    stamp.digest = text.substr(mark + kTextMark.size(), 16);
  }
  return stamp;
}

// The text without the stamp and without the lines inside shared regions, which other operators may
// change.
std::string own_text(const std::string& text) {
  const auto stamp = find_stamp(text);
  const std::string body = stamp ? text.substr(0, stamp->begin) + text.substr(stamp->end) : text;
  std::string out;
  bool inside = false;
  for (const std::string_view line : split_lines(body)) {
    const bool mark = line.find(kRegion) != std::string_view::npos;
    const bool end = mark && trimmed(line).ends_with("end");
    inside = inside && !end;
    if (!inside) {
      out += line;
      out += '\n';
    }
    inside = inside || (mark && trimmed(line).ends_with("begin"));
  }
  return out;
}

using Entries = std::map<std::string, std::vector<std::string>>;  // operator -> its lines

// Lines of a region by operator; a line that says `operator NAME` starts an entry.
Entries read_entries(const std::vector<std::string_view>& lines, const std::string& region) {
  Entries entries;
  bool inside = false;
  std::string op;
  for (const std::string_view line : lines) {
    const bool mark = line.find(fmt::format("{}{} ", kRegion, region)) != std::string_view::npos;
    if (mark) {
      inside = trimmed(line).ends_with("begin");
      continue;
    }
    const size_t name = line.find(kOperator);
    if (inside && name != std::string_view::npos) {
      op = std::string(trimmed(line.substr(name + kOperator.size())));
      entries[op].emplace_back(line);
    } else if (inside && !op.empty()) {
      entries[op].emplace_back(line);
    }
  }
  return entries;
}

std::string fill_regions(const GeneratedFile& file,
                         const std::string& op,
                         const std::string& existing) {
  const auto old_lines = split_lines(existing);
  std::string out;
  for (const std::string_view line : split_lines(file.text)) {
    out += line;
    out += '\n';
    for (const auto& [region, own] : file.shared) {
      if (!trimmed(line).ends_with(fmt::format("{}{} begin", kRegion, region))) {
        continue;
      }
      Entries entries = read_entries(old_lines, region);
      entries[op] = own;
      for (const auto& [name, lines] : entries) {
        for (const std::string& entry : lines) {
          out += entry + "\n";
        }
      }
    }
  }
  return out;
}

}  // namespace

std::string stamped(const std::string& text,
                    const std::string& comment,
                    const std::string& origin) {
  const size_t at = text.rfind("#!", 0) == 0 ? text.find('\n') + 1 : 0;
  const std::string line = fmt::format(
      "{}{}{}: {}{}{}\n", comment, kStamp, kToolVersion, origin, kTextMark, digest(own_text(text)));
  return text.substr(0, at) + line + text.substr(at);
}

bool edited_by_hand(const std::string& text) {
  const auto stamp = find_stamp(text);
  return !stamp || stamp->digest != digest(own_text(text));
}

Plan plan_write(const FileSet& files,
                const std::string& op,
                const std::map<std::string, std::string>& existing) {
  Plan plan;
  for (const auto& [path, file] : files) {
    PlannedFile planned;
    planned.executable = file.executable;
    const auto old = existing.find(path);
    planned.text = file.shared.empty()
                       ? file.text
                       : fill_regions(file, op, old == existing.end() ? "" : old->second);
    if (old == existing.end()) {
      planned.action = PlannedFile::Action::kCreate;
    } else if (old->second == planned.text) {
      planned.action = PlannedFile::Action::kUnchanged;
    } else if (edited_by_hand(old->second)) {
      planned.action = PlannedFile::Action::kConflict;
      planned.reason = find_stamp(old->second) ? "edited by hand since it was written"
                                               : "not written by shmem-bind";
    } else {
      planned.action = PlannedFile::Action::kUpdate;
    }
    plan[path] = std::move(planned);
  }
  return plan;
}

}  // namespace shmem_bind::binding
