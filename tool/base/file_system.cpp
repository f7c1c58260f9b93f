#include "tool/base/file_system.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace shmem_bind {
namespace {

namespace fs = std::filesystem;
constexpr uintmax_t kLargestFile = 100u << 20;

Failure failed(const char* attempt, const std::string& path) {
  return {fmt::format("cannot {} {}: {}", attempt, path, std::strerror(errno))};
}

}  // namespace

Result<std::string> RealFileSystem::read(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const uintmax_t bytes = folder ? 0 : fs::file_size(path, error);
  if (folder) {
    error = std::make_error_code(std::errc::is_a_directory);
  }
  if (error) {
    return Failure{fmt::format("cannot read {}: {}", path, error.message())};
  }
  if (bytes > kLargestFile) {
    return Failure{fmt::format("cannot read {}: {} bytes, over the limit of 100 MB", path, bytes)};
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    return failed("read", path);
  }
  return std::move(text).str();
}

Result<Done> RealFileSystem::write(const std::string& path,
                                   const std::string& text,
                                   bool executable) {
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, error);
  }
  if (error) {
    return Failure{fmt::format("cannot make the folder of {}: {}", path, error.message())};
  }
  const std::string part = fmt::format("{}.{}.part", path, getpid());
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      const Failure failure = failed("write", part);
      unlink(part.c_str());
      return failure;
    }
  }
  if (chmod(part.c_str(), executable ? 0755 : 0644) != 0 ||
      rename(part.c_str(), path.c_str()) != 0) {
    const Failure failure = failed("write", path);
    unlink(part.c_str());
    return failure;
  }
  return Done{};
}

bool RealFileSystem::exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

bool RealFileSystem::is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool RealFileSystem::is_link(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error);
}

std::vector<std::string> RealFileSystem::list(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Done> RealFileSystem::remove(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) {
    return Failure{fmt::format("cannot remove {}: {}", path, error.message())};
  }
  return Done{};
}

Result<std::string> MemoryFileSystem::read(const std::string& path) {
  const auto found = files.find(path);
  if (found == files.end()) {
    return Failure{fmt::format("cannot read {}: No such file or directory", path)};
  }
  return found->second;
}

Result<Done> MemoryFileSystem::write(const std::string& path, const std::string& text, bool) {
  files[path] = text;
  written.push_back(path);
  return Done{};
}

bool MemoryFileSystem::exists(const std::string& path) {
  return files.contains(path) || is_folder(path);
}

bool MemoryFileSystem::is_folder(const std::string& path) {
  const auto next = files.lower_bound(path + "/");
  return next != files.end() && next->first.rfind(path + "/", 0) == 0;
}

bool MemoryFileSystem::is_link(const std::string&) {
  return false;
}

std::vector<std::string> MemoryFileSystem::list(const std::string& folder) {
  std::set<std::string> names;
  const std::string prefix = folder + "/";
  for (const auto& [path, text] : files) {
    if (path.rfind(prefix, 0) == 0) {
      names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    }
  }
  return {names.begin(), names.end()};
}

Result<Done> MemoryFileSystem::remove(const std::string& path) {
  std::erase_if(files, [&](const auto& file) {
    return file.first == path || file.first.rfind(path + "/", 0) == 0;
  });
  return Done{};
}

std::string absolute_path(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

std::string resolved_path(const std::string& path) {
  std::error_code error;
  std::string resolved = fs::weakly_canonical(absolute_path(path), error).string();
  if (error) {
    resolved = absolute_path(path);
  }
  while (resolved.size() > 1 && resolved.back() == '/') {
    resolved.pop_back();
  }
  return resolved;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string temporary_folder(const std::string& prefix) {
  std::string pattern = (fs::temp_directory_path() / (prefix + "-XXXXXX")).string();
  return mkdtemp(pattern.data()) == nullptr ? "" : pattern;
}

void remove_tree(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
}

}  // namespace shmem_bind
