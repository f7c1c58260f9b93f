#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tool/base/result.h"

namespace shmem_bind {

// The files of the outside world. Paths as the user gave them; '/' separates. Tests use
// MemoryFileSystem.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Files over 100 MB are refused.
  virtual Result<std::string> read(const std::string& path) = 0;
  // Through a temporary file beside it and a rename: other readers see the old text or the new one.
  virtual Result<Done> write(const std::string& path, const std::string& text, bool executable) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual bool is_folder(const std::string& path) = 0;
  virtual bool is_link(const std::string& path) = 0;  // a symbolic one, wherever it leads
  virtual std::vector<std::string> list(const std::string& folder) = 0;  // names, sorted
  // The file or the folder with all that is in it; links are not followed. Nothing to remove is no
  // failure.
  virtual Result<Done> remove(const std::string& path) = 0;
};

class RealFileSystem : public FileSystem {
 public:
  Result<std::string> read(const std::string& path) override;
  Result<Done> write(const std::string& path, const std::string& text, bool executable) override;
  bool exists(const std::string& path) override;
  bool is_folder(const std::string& path) override;
  bool is_link(const std::string& path) override;
  std::vector<std::string> list(const std::string& folder) override;
  Result<Done> remove(const std::string& path) override;
};

class MemoryFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> files;
  std::vector<std::string> written;  // in order

  Result<std::string> read(const std::string& path) override;
  Result<Done> write(const std::string& path, const std::string& text, bool executable) override;
  bool exists(const std::string& path) override;
  bool is_folder(const std::string& path) override;
  bool is_link(const std::string& path) override;
  std::vector<std::string> list(const std::string& folder) override;
  Result<Done> remove(const std::string& path) override;
};

// The absolute form without "." and ".."; not resolved through links.
std::string absolute_path(const std::string& path);
std::string resolved_path(const std::string& path);  // absolute, through links as far as they are
std::string environment(const char* name);           // empty when unset
std::string temporary_folder(const std::string& prefix);  // made; the caller removes it
void remove_tree(const std::string& folder);

}  // namespace shmem_bind
