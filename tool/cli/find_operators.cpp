#include "tool/cli/find_operators.h"

namespace shmem_bind::cli {
namespace {

void search(const std::string& folder, FileSystem& files, std::vector<std::string>& found) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  if (files.exists(prefix + "CMakeCache.txt")) {
    return;  // copies of sources, if anything
  }
  if (files.exists(prefix + "docs/design.md")) {
    found.push_back(folder);
  }
  for (const std::string& name : files.list(folder)) {
    const std::string path = prefix + name;
    if (!name.starts_with('.') && files.is_folder(path) && !files.is_link(path)) {
      search(path, files, found);
    }
  }
}

}  // namespace

std::vector<std::string> find_operators(const std::string& folder, FileSystem& files) {
  std::string start = folder;
  while (start.size() > 1 && start.back() == '/') {
    start.pop_back();
  }
  std::vector<std::string> found;
  search(start, files, found);
  return found;
}

}  // namespace shmem_bind::cli
