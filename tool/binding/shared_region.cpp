#include "tool/binding/shared_region.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "tool/base/text.h"

namespace shmem_bind::binding {
namespace {

constexpr std::string_view kBreakAdded = ", with the line break in front";
constexpr std::string_view kOperator = " operator ";
constexpr std::string_view kText = ", text ";

struct Entry {
  std::string header;  // as it stands
  std::vector<std::string> lines;

  bool is_edited() const {
    return !header.ends_with(std::string(kText) + digest(joined(lines, "\n")));
  }
};

struct Region {
  bool is_there = false;
  bool is_broken = false;
  bool has_break = false;  // the line break in front of it is ours
  std::string line_break;  // of its lines
  size_t begin = 0;        // with that line break
  size_t end = 0;
  std::map<std::string, Entry> entries;
  bool has_stray_lines = false;  // in front of the first entry
};

// Without its line end and the spaces around it.
std::string_view line_at(const std::string& text, size_t at, size_t& next) {
  const size_t newline = text.find('\n', at);
  next = newline == std::string::npos ? text.size() : newline + 1;
  return trimmed(std::string_view(text).substr(at, next - at));
}

class RegionReader {
 public:
  RegionReader(const std::string& text, const RegionPlace& place)
      : text_(text),
        place_(place),
        begin_(fmt::format("{} shmem-bind: {} begin", place.comment, place.name)),
        end_(fmt::format("{} shmem-bind: {} end", place.comment, place.name)) {}

  Region read() {
    size_t next = 0;
    for (size_t at = 0; at < text_.size(); at = next) {
      const std::string_view line = line_at(text_, at, next);
      if (line == begin_ || line == begin_ + std::string(kBreakAdded)) {
        region_.is_broken = region_.is_broken || region_.is_there;
        open(at, next, line != begin_);
      } else if (line == end_) {
        region_.is_broken = region_.is_broken || !inside_;
        region_.end = next;
        inside_ = false;
      } else if (inside_) {
        take(text_.substr(at, next - at));
      }
    }
    region_.is_broken = region_.is_broken || inside_;
    return std::move(region_);
  }

 private:
  // The break in front is the one that ends the mark: a "\r" before it may be another's last byte.
  void open(size_t at, size_t next, bool has_break) {
    region_.is_there = true;
    region_.has_break = has_break;
    region_.line_break = std::string_view(text_).substr(0, next).ends_with("\r\n") ? "\r\n" : "\n";
    region_.begin = at;
    if (has_break && std::string_view(text_).substr(0, at).ends_with(region_.line_break)) {
      region_.begin -= region_.line_break.size();
    }
    inside_ = true;
  }

  void take(std::string line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
      line.pop_back();
    }
    const std::string head = place_.comment + std::string(kOperator);
    const std::string_view shown = trimmed(line);
    if (shown.starts_with(head)) {
      const std::string_view rest = shown.substr(head.size());
      entry_ = &region_.entries[std::string(rest.substr(0, rest.find(',')))];
      entry_->header = shown;
    } else if (entry_ != nullptr) {
      entry_->lines.push_back(std::move(line));
    } else if (!shown.empty()) {
      region_.has_stray_lines = true;
    }
  }

  const std::string& text_;
  const RegionPlace& place_;
  std::string begin_;
  std::string end_;
  Region region_;
  bool inside_ = false;
  Entry* entry_ = nullptr;
};

// The line end that the file uses.
std::string line_break_of(const std::string& text) {
  const size_t newline = text.find('\n');
  return newline != std::string::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

std::string region_text(const Region& region, const RegionPlace& place) {
  const std::string& end = region.line_break;
  std::string out = region.has_break ? end : "";
  out += fmt::format("{} shmem-bind: {} begin{}{}",
                     place.comment,
                     place.name,
                     region.has_break ? kBreakAdded : "",
                     end);
  for (const auto& [op, entry] : region.entries) {
    out += entry.header + end;
    for (const std::string& line : entry.lines) {
      out += line + end;
    }
  }
  return out + fmt::format("{} shmem-bind: {} end{}", place.comment, place.name, end);
}

std::string obstacle_of(const Region& region,
                        const RegionPlace& place,
                        const std::string& op,
                        const std::vector<std::string>* lines) {
  if (region.has_stray_lines) {
    return fmt::format("lines that belong to no operator stand in its region {}", place.name);
  }
  const auto own = region.entries.find(op);
  if (own != region.entries.end() && own->second.is_edited() &&
      (lines == nullptr || own->second.lines != *lines)) {
    return fmt::format("the lines of {} in its region {} were edited by hand", op, place.name);
  }
  return {};
}

RegionEdit broken(const std::string& text, const RegionPlace& place) {
  return {text,
          fmt::format("the marks of its region {0} do not fit together: one line "
                      "`shmem-bind: {0} begin`, and one `shmem-bind: {0} end` behind it",
                      place.name),
          true};
}

std::string spliced(const std::string& text, const Region& region, const std::string& middle) {
  return text.substr(0, region.begin) + middle + text.substr(region.end);
}

}  // namespace

RegionEdit with_entry(const std::string& text,
                      const RegionPlace& place,
                      const std::string& op,
                      const std::vector<std::string>& lines) {
  Region region = RegionReader(text, place).read();
  if (region.is_broken) {
    return broken(text, place);
  }
  const std::string obstacle = obstacle_of(region, place, op, &lines);
  if (!region.is_there) {
    region.begin = region.end = place.at;
    region.has_break = place.at > 0 && text[place.at - 1] != '\n';
    region.line_break = line_break_of(text);
  }
  region.entries[op] = {
      fmt::format("{}{}{}{}{}", place.comment, kOperator, op, kText, digest(joined(lines, "\n"))),
      lines};
  return {spliced(text, region, region_text(region, place)), obstacle, false};
}

RegionEdit without_entry(const std::string& text, const RegionPlace& place, const std::string& op) {
  Region region = RegionReader(text, place).read();
  if (region.is_broken) {
    return broken(text, place);
  }
  if (!region.entries.contains(op)) {
    return {text, "", false};
  }
  const std::string obstacle = obstacle_of(region, place, op, nullptr);
  region.entries.erase(op);
  const std::string middle = region.entries.empty() ? "" : region_text(region, place);
  return {spliced(text, region, middle), obstacle, false};
}

std::vector<std::string> entries_of(const std::string& text, const RegionPlace& place) {
  const Region region = RegionReader(text, place).read();
  std::vector<std::string> operators;
  for (const auto& [op, entry] : region.entries) {
    operators.push_back(op);
  }
  return region.is_broken ? std::vector<std::string>() : operators;
}

std::string foreign_text(const std::string& text, const RegionPlace& place) {
  const Region region = RegionReader(text, place).read();
  return region.is_there && !region.is_broken ? spliced(text, region, "") : text;
}

}  // namespace shmem_bind::binding
