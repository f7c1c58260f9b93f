#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Our lines inside a file that others own:
//
//   # shmem-bind: sources begin
//   # operator copy_rows, text 0123456789abcdef
//   target_sources(…)
//   # shmem-bind: sources end
//
// One entry per operator, in their order; the digest tells whether somebody edited the lines. Every
// byte outside the region stays as it is, and taking the last entry out gives back the bytes that
// stood there before the first. Pure.

namespace shmem_bind::binding {

struct RegionEdit {
  std::string text;        // of the whole file
  std::string obstacle;    // not empty: what a person wrote into the region, and would be lost
  bool is_broken = false;  // the marks do not fit together: `text` is the old one
};

struct RegionPlace {
  std::string name;
  std::string comment;  // "#" or "//"
  size_t at = 0;        // where a region that is not there yet begins: a line's begin, or the end
};

// The file with `lines` as the operator's entry.
RegionEdit with_entry(const std::string& text,
                      const RegionPlace& place,
                      const std::string& op,
                      const std::vector<std::string>& lines);

// The file without the operator's entry, and without the region when it was the only one.
RegionEdit without_entry(const std::string& text, const RegionPlace& place, const std::string& op);

// The operators that have lines in the region, in their order; none when its marks do not fit
// together.
std::vector<std::string> entries_of(const std::string& text, const RegionPlace& place);

// The file without the region: what its owners wrote.
std::string foreign_text(const std::string& text, const RegionPlace& place);

}  // namespace shmem_bind::binding
