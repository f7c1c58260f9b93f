#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/base/result.h"

// Changes to many files of one tree that happen together, and one run at a time.
//
// New texts are written beside their targets first (<path>.shmem-bind-part), under a list of them
// in the tree's folder. Renaming that list, .shmem-bind-staged to .shmem-bind-commit, is the moment
// of the change: a run that is killed before it leaves the old tree, one that is killed behind it
// leaves a list by which the next one completes the new tree. A single file is always its old text
// or its new one. Power failures are not covered: nothing is forced to the disk.

namespace shmem_bind {

struct TreeFile {
  std::string path;  // below the tree, with '/'
  std::string text;
  bool executable = false;  // otherwise the mode of the file that stands there, or 0644
  bool removed = false;     // the file goes, and folders that are empty then; no text
};

class TreeWriter {
 public:
  // Locks the tree, waiting at most `timeout_ms` for another run, and settles what a killed run
  // left. The lock is on the folder itself and ends with this object or the process.
  static Result<TreeWriter> open(const std::string& tree, int timeout_ms = 60000);
  // True when a killed run left something to settle (or another run is writing now).
  static bool is_interrupted(const std::string& tree);

  TreeWriter(TreeWriter&& other) noexcept;
  TreeWriter& operator=(TreeWriter&&) = delete;
  TreeWriter(const TreeWriter&) = delete;
  TreeWriter& operator=(const TreeWriter&) = delete;
  ~TreeWriter();

  // All files or none. A link is written through: the file it leads to gets the text.
  Result<Done> write(const std::vector<TreeFile>& files);

  // Called in front of each step on the disk; tests end the process in it.
  std::function<void()> before_step = [] {};

 private:
  TreeWriter(std::string tree, int folder) : tree_(std::move(tree)), folder_(folder) {}

  std::string below(const std::string& path) const { return tree_ + "/" + path; }
  Result<Done> settle();
  Result<Done> list_changes(const std::vector<TreeFile>& files,
                            const std::vector<std::string>& folders);
  Result<Done> stage(const std::vector<TreeFile>& files);
  Result<Done> complete();
  void withdraw();

  std::string tree_;
  int folder_ = -1;
};

}  // namespace shmem_bind
