#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tool/binding/cmake_text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/shared_region.h"
#include "tool/binding/tree_problem.h"

// One operator's lines in files that others own: texts change step by step, and what stands in the
// way is collected. Pure.

namespace shmem_bind::binding {

class TreeEditor {
 public:
  TreeEditor(std::string op_name, const Texts& existing)
      : op_(std::move(op_name)), existing_(existing), texts_(existing) {}

  bool has(const std::string& path) const { return existing_.contains(path); }
  const std::string& text(const std::string& path) { return texts_[path]; }

  // One place is told once, however many steps meet it.
  void object(const std::string& path, size_t at, std::string text, std::string way_out);
  std::vector<TreeProblem> problems() const { return problems_; }

  // The commands of the present text; a file that CMake would refuse is a problem.
  std::optional<CMakeText> parsed(const std::string& path);
  // The commands that others wrote, without those in our `regions`.
  CMakeText foreign(const std::string& path, const std::vector<std::string>& regions) const;

  // The begin of the line behind the command, and of the line it begins in.
  size_t behind(const std::string& path, const CMakeCommand& command);
  size_t in_front(const std::string& path, const CMakeCommand& command);

  // `lines` become the operator's entry in the region.
  void edit(const std::string& path,
            const RegionPlace& place,
            const std::vector<std::string>& lines);
  // The same in a CMake file: the lines must be commands there, so a place inside a comment or an
  // argument is a problem.
  void edit_cmake(const std::string& path,
                  const RegionPlace& place,
                  const std::vector<std::string>& lines);
  // The operator has no entry in the region any more.
  void withdraw(const std::string& path, const RegionPlace& place);

  // What writing the texts means for one file.
  PlannedFile planned(const std::string& path) const;

 private:
  void take(const std::string& path, RegionEdit edit);

  std::string op_;
  const Texts& existing_;
  Texts texts_;
  Texts obstacles_;
  std::vector<TreeProblem> problems_;
};

}  // namespace shmem_bind::binding
