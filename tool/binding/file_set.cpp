#include "tool/binding/file_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

constexpr std::string_view kStamp = " Written by shmem-bind ";
constexpr std::string_view kText = "text ";
constexpr std::string_view kRegion = "shmem-bind: ";
constexpr std::string_view kOperator = "operator ";
constexpr size_t kDigestLength = 16;

struct Stamp {
  size_t begin = 0;
  size_t end = 0;  // behind its last newline
  std::string digest;
};

size_t line_end(const std::string& text, size_t at) {
  const size_t newline = text.find('\n', at);
  return newline == std::string::npos ? text.size() : newline + 1;
}

// The stamp stands in the first two lines (the first may be `#!`) and is two lines long.
std::optional<Stamp> find_stamp(const std::string& text) {
  const size_t at = text.find(kStamp);
  if (at == std::string::npos || at > line_end(text, line_end(text, 0))) {
    return std::nullopt;
  }
  Stamp stamp;
  const size_t newline = text.rfind('\n', at);
  stamp.begin = newline == std::string::npos ? 0 : newline + 1;
  stamp.end = line_end(text, line_end(text, at));
  const std::string lines = text.substr(stamp.begin, stamp.end - stamp.begin);
  const size_t mark = lines.rfind(kText);
  if (mark == std::string::npos) {
    return std::nullopt;
  }
  stamp.digest = lines.substr(mark + kText.size(), kDigestLength);
  return stamp;
}

// "kernel_targets begin" of a region's line, empty for other lines.
std::string_view region_mark(std::string_view line) {
  const size_t at = line.find(kRegion);
  return at == std::string_view::npos ? std::string_view()
                                      : trimmed(line.substr(at + kRegion.size()));
}

// The text without the stamp and without the lines inside shared regions, which other operators may
// change.
std::string own_text(const std::string& text) {
  const auto stamp = find_stamp(text);
  const std::string body = stamp ? text.substr(0, stamp->begin) + text.substr(stamp->end) : text;
  std::string out;
  bool inside = false;
  for (const std::string_view line : split_lines(body)) {
    const std::string_view mark = region_mark(line);
    inside = inside && !mark.ends_with(" end");
    if (!inside) {
      out += line;
      out += '\n';
    }
    inside = inside || mark.ends_with(" begin");
  }
  return out;
}

// What one operator has in a region.
struct Entry {
  std::string header;  // as it stands: the comment that says whose lines follow
  std::vector<std::string> lines;

  bool edited() const {
    const size_t mark = header.rfind(kText);
    return mark == std::string::npos || header.substr(mark + kText.size()) != digest_of(lines);
  }
  static std::string digest_of(const std::vector<std::string>& lines) {
    return digest(joined(lines, "\n"));
  }
};

struct Region {
  std::map<std::string, Entry> entries;  // by operator
  bool has_stray_lines = false;          // in front of the first entry
};

// "all_gather" of `// operator all_gather, text 0123456789abcdef`; empty for other lines.
std::string operator_of(std::string_view line) {
  std::string_view rest = trimmed(line);
  rest.remove_prefix(std::min(rest.find_first_not_of("/# "), rest.size()));
  if (!rest.starts_with(kOperator) || rest.size() == trimmed(line).size()) {
    return {};
  }
  rest.remove_prefix(kOperator.size());
  return std::string(trimmed(rest.substr(0, rest.find(','))));
}

Region read_region(const std::string& text, const std::string& name) {
  Region region;
  bool inside = false;
  Entry* entry = nullptr;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view mark = region_mark(line);
    if (!mark.empty()) {
      inside = mark == name + " begin";
      entry = nullptr;
    } else if (inside && !operator_of(line).empty()) {
      entry = &region.entries[operator_of(line)];
      entry->header = line;
    } else if (inside && entry != nullptr) {
      entry->lines.emplace_back(line);
    } else if (inside && !trimmed(line).empty()) {
      region.has_stray_lines = true;
    }
  }
  return region;
}

// `begin` is the region's first line; its comment marks are those of the entries.
Entry fresh_entry(std::string_view begin,
                  const std::string& op,
                  const std::vector<std::string>& lines) {
  const std::string_view comment = begin.substr(0, begin.find(kRegion));
  return {fmt::format("{}{}{}, {}{}", comment, kOperator, op, kText, Entry::digest_of(lines)),
          lines};
}

std::string fill_regions(const GeneratedFile& file,
                         const std::string& op,
                         const std::string& existing) {
  std::string out;
  for (const std::string_view line : split_lines(file.text)) {
    out += fmt::format("{}\n", line);
    const std::string_view mark = region_mark(line);
    for (const auto& [name, lines] : file.shared) {
      if (mark != name + " begin") {
        continue;
      }
      Region region = read_region(existing, name);
      region.entries[op] = fresh_entry(line, op, lines);
      for (const auto& [owner, entry] : region.entries) {
        out += entry.header + "\n";
        for (const std::string& text : entry.lines) {
          out += text + "\n";
        }
      }
    }
  }
  return out;
}

// A region with lines that the new file does not have: another version of this tool wrote it.
std::string unknown_region(const GeneratedFile& file, const std::string& existing) {
  for (const std::string_view line : split_lines(existing)) {
    const std::string mark(region_mark(line));
    const size_t end = mark.rfind(" begin");
    if (end == std::string::npos || file.shared.contains(mark.substr(0, end))) {
      continue;
    }
    const Region region = read_region(existing, mark.substr(0, end));
    if (!region.entries.empty() || region.has_stray_lines) {
      return mark.substr(0, end);
    }
  }
  return {};
}

// Why `existing` may not be replaced; empty when nothing would be lost.
std::string obstacle(const GeneratedFile& file,
                     const std::string& op,
                     const std::string& existing) {
  if (edited_by_hand(existing)) {
    return find_stamp(existing) ? "edited by hand since it was written"
                                : "not written by shmem-bind";
  }
  if (const std::string name = unknown_region(file, existing); !name.empty()) {
    return fmt::format("its region {} is not one of this version of shmem-bind", name);
  }
  for (const auto& [name, lines] : file.shared) {
    const Region region = read_region(existing, name);
    const auto own = region.entries.find(op);
    if (region.has_stray_lines) {
      return fmt::format("lines that belong to no operator stand in its region {}", name);
    }
    if (own != region.entries.end() && own->second.lines != lines && own->second.edited()) {
      return fmt::format("the lines of {} in its region {} were edited by hand", op, name);
    }
  }
  return {};
}

}  // namespace

std::string stamped(const std::string& text,
                    const std::string& comment,
                    const std::string& origin,
                    const std::string& facts) {
  const size_t at = text.starts_with("#!") ? line_end(text, 0) : 0;
  const std::string lines = fmt::format("{0}{1}{2}: {3}\n{0} {4}{5}{6}{7}\n",
                                        comment,
                                        kStamp,
                                        kToolVersion,
                                        origin,
                                        facts,
                                        facts.empty() ? "" : ", ",
                                        kText,
                                        digest(own_text(text)));
  return text.substr(0, at) + lines + text.substr(at);
}

bool edited_by_hand(const std::string& text) {
  const auto stamp = find_stamp(text);
  return !stamp || stamp->digest != digest(own_text(text));
}

bool is_stamped(const std::string& text) {
  return find_stamp(text).has_value();
}

RegionEdit without_operator(const std::string& text, const std::string& op) {
  RegionEdit edit;
  std::string region;  // the one we are in
  std::string owner;   // whose lines follow in it
  for (const std::string_view line : split_lines(text)) {
    const std::string mark(region_mark(line));
    if (!mark.empty()) {
      region = mark.ends_with(" begin") ? mark.substr(0, mark.rfind(' ')) : "";
      owner.clear();
    } else if (!region.empty() && !operator_of(line).empty()) {
      owner = operator_of(line);
    } else if (!region.empty() && owner.empty() && !trimmed(line).empty()) {
      edit.obstacle =
          fmt::format("lines that belong to no operator stand in its region {}", region);
    }
    if (owner != op) {
      edit.text += fmt::format("{}\n", line);
    } else if (read_region(text, region).entries[op].edited()) {
      edit.obstacle =
          fmt::format("the lines of {} in its region {} were edited by hand", op, region);
    }
  }
  return edit;
}

Plan plan_write(const FileSet& files,
                const std::string& op,
                const std::map<std::string, std::string>& existing) {
  Plan plan;
  for (const auto& [path, file] : files) {
    PlannedFile planned;
    planned.executable = file.executable;
    const auto old = existing.find(path);
    const std::string old_text = old == existing.end() ? "" : old->second;
    planned.text = file.shared.empty() ? file.text : fill_regions(file, op, old_text);
    if (old == existing.end()) {
      planned.action = PlannedFile::Action::kCreate;
    } else if (old_text != planned.text) {
      planned.reason = obstacle(file, op, old_text);
      planned.action =
          planned.reason.empty() ? PlannedFile::Action::kUpdate : PlannedFile::Action::kConflict;
    }
    plan[path] = std::move(planned);
  }
  return plan;
}

}  // namespace shmem_bind::binding
