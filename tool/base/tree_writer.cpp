#include "tool/base/tree_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace shmem_bind {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaged = ".shmem-bind-staged";
constexpr const char* kCommit = ".shmem-bind-commit";
constexpr const char* kPart = ".shmem-bind-part";
constexpr std::string_view kFile = "file ";
constexpr std::string_view kFolder = "folder ";
constexpr std::string_view kRemoved = "removed ";
constexpr auto kPause = std::chrono::milliseconds(10);

Failure cannot(const char* attempt, const std::string& path) {
  return {fmt::format("cannot {} {}: {}", attempt, path, std::strerror(errno))};
}

bool is_there(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// The file that a path leads to: itself, or what the link at its end names.
std::string target_of(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path(path);
  return error ? path : real.string();
}

Result<Done> write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  return out ? Result<Done>(Done{}) : cannot("write", path);
}

Result<Done> rename_file(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? Result<Done>(Done{}) : cannot("replace", to);
}

// The rest of the list's lines that begin with `kind`.
std::vector<std::string> listed(const std::string& path, std::string_view kind) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kind)) {
      found.push_back(line.substr(kind.size()));
    }
  }
  return found;
}

// The folders below the tree that the files need and that do not exist yet, outer ones first.
std::vector<std::string> missing_folders(const std::string& tree,
                                         const std::vector<TreeFile>& files) {
  std::vector<std::string> missing;
  for (const TreeFile& file : files) {
    if (file.removed) {
      continue;
    }
    for (size_t slash = file.path.find('/'); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      const std::string folder = file.path.substr(0, slash);
      if (!is_there(fmt::format("{}/{}", tree, folder)) &&
          std::find(missing.begin(), missing.end(), folder) == missing.end()) {
        missing.push_back(folder);
      }
    }
  }
  return missing;
}

// Removes the folders above `path` that are empty, up to the tree.
void remove_empty_folders(const std::string& tree, std::string path) {
  for (size_t slash = path.rfind('/'); slash != std::string::npos; slash = path.rfind('/')) {
    path.resize(slash);
    if (rmdir(fmt::format("{}/{}", tree, path).c_str()) != 0) {
      return;  // not empty
    }
  }
}

mode_t mode_for(const TreeFile& file, const std::string& target) {
  struct stat status {};
  const mode_t present = stat(target.c_str(), &status) == 0 ? status.st_mode & 07777 : 0644;
  return file.executable ? present | 0111 : present;
}

}  // namespace

bool TreeWriter::is_interrupted(const std::string& tree) {
  return is_there(fmt::format("{}/{}", tree, kStaged)) ||
         is_there(fmt::format("{}/{}", tree, kCommit)) ||
         is_there(fmt::format("{}/{}{}", tree, kStaged, kPart));
}

Result<TreeWriter> TreeWriter::open(const std::string& tree, int timeout_ms) {
  const int folder = ::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return cannot("open", tree);
  }
  TreeWriter writer(tree, folder);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return cannot("lock", tree);
    }
    if (std::chrono::steady_clock::now() >= end) {
      return Failure{fmt::format(
          "another shmem-bind has been writing into {} for {} ms; wait for it, or end it",
          tree,
          timeout_ms)};
    }
    std::this_thread::sleep_for(kPause);
  }
  if (auto settled = writer.settle(); !settled.ok()) {
    return settled.failure();
  }
  return writer;
}

TreeWriter::TreeWriter(TreeWriter&& other) noexcept
    : before_step(std::move(other.before_step)),
      tree_(std::move(other.tree_)),
      folder_(std::exchange(other.folder_, -1)) {}

TreeWriter::~TreeWriter() {
  if (folder_ >= 0) {
    close(folder_);
  }
}

Result<Done> TreeWriter::settle() {
  if (is_there(below(kCommit))) {
    return complete();
  }
  withdraw();
  return Done{};
}

// The list names paths below the tree: a tree that was moved meanwhile is settled all the same.
Result<Done> TreeWriter::complete() {
  for (const std::string& path : listed(below(kCommit), kFile)) {
    const std::string target = target_of(below(path));
    if (is_there(target + kPart)) {
      before_step();
      if (auto renamed = rename_file(target + kPart, target); !renamed.ok()) {
        return renamed;
      }
    }
  }
  for (const std::string& path : listed(below(kCommit), kRemoved)) {
    before_step();
    if (unlink(below(path).c_str()) != 0 && errno != ENOENT) {
      return cannot("remove", below(path));
    }
    remove_empty_folders(tree_, path);
  }
  before_step();
  unlink(below(kCommit).c_str());
  return Done{};
}

void TreeWriter::withdraw() {
  for (const std::string& path : listed(below(kStaged), kFile)) {
    before_step();
    unlink((target_of(below(path)) + kPart).c_str());
  }
  std::vector<std::string> folders = listed(below(kStaged), kFolder);
  std::reverse(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    before_step();
    rmdir(below(folder).c_str());  // one that somebody has put something into stays
  }
  unlink(below(kStaged + std::string(kPart)).c_str());
  unlink(below(kStaged).c_str());
}

Result<Done> TreeWriter::list_changes(const std::vector<TreeFile>& files,
                                      const std::vector<std::string>& folders) {
  std::string list;
  for (const TreeFile& file : files) {
    list += fmt::format("{}{}\n", file.removed ? kRemoved : kFile, file.path);
  }
  for (const std::string& folder : folders) {
    list += fmt::format("{}{}\n", kFolder, folder);
  }
  before_step();
  const std::string draft = below(kStaged + std::string(kPart));
  if (auto written = write_text(draft, list); !written.ok()) {
    return written;
  }
  before_step();
  return rename_file(draft, below(kStaged));
}

Result<Done> TreeWriter::stage(const std::vector<TreeFile>& files) {
  const std::vector<std::string> folders = missing_folders(tree_, files);
  if (auto listed = list_changes(files, folders); !listed.ok()) {
    return listed;
  }
  for (const std::string& folder : folders) {
    before_step();
    if (mkdir(below(folder).c_str(), 0777) != 0 && errno != EEXIST) {
      return cannot("make the folder", below(folder));
    }
  }
  for (const TreeFile& file : files) {
    if (file.removed) {
      continue;
    }
    before_step();
    const std::string target = target_of(below(file.path));
    if (auto written = write_text(target + kPart, file.text); !written.ok()) {
      return written;
    }
    if (chmod((target + kPart).c_str(), mode_for(file, target)) != 0) {
      return cannot("set the mode of", target);
    }
  }
  return Done{};
}

Result<Done> TreeWriter::write(const std::vector<TreeFile>& files) {
  if (files.empty()) {
    return Done{};
  }
  for (const TreeFile& file : files) {
    if (file.path.find('\n') != std::string::npos) {
      return Failure{fmt::format("cannot write '{}': a line break in a path", file.path)};
    }
  }
  auto staged = stage(files);
  if (staged.ok()) {
    before_step();
    staged = rename_file(below(kStaged), below(kCommit));
  }
  if (!staged.ok()) {
    withdraw();
    return staged;
  }
  return complete();
}

}  // namespace shmem_bind
