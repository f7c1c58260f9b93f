#include "tool/base/machine.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "tool/base/text.h"

namespace shmem_bind {
namespace {

constexpr const char* kMemory = "/proc/meminfo";
constexpr const char* kGroupLimit = "/sys/fs/cgroup/memory.max";
constexpr const char* kGroupUse = "/sys/fs/cgroup/memory.current";

Failure loopback_failure(const char* what) {
  return {fmt::format("{} on 127.0.0.1: {}", what, std::strerror(errno))};
}

// The first whole number of a text.
std::optional<int64_t> number_in(std::string_view text) {
  const size_t begin = text.find_first_of("0123456789");
  int64_t value = 0;
  if (begin == std::string_view::npos ||
      std::from_chars(text.data() + begin, text.data() + text.size(), value).ec != std::errc()) {
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> number_of_file(const std::string& path, FileSystem& files) {
  const auto text = files.read(path);
  return text.ok() ? number_in(text.value()) : std::nullopt;  // "max": no limit
}

}  // namespace

std::map<std::string, std::string> whole_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

Result<int> free_port() {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) {
    return loopback_failure("cannot make a TCP socket");
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  Result<int> result = 0;
  if (bind(file, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(file, 1) != 0 ||
      getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    result = loopback_failure("cannot listen");
  } else {
    result = static_cast<int>(ntohs(address.sin_port));
  }
  close(file);
  return result;
}

std::optional<int64_t> available_memory_mib(FileSystem& files) {
  std::optional<int64_t> mib;
  const auto memory = files.read(kMemory);
  for (const std::string_view line :
       memory.ok() ? split_lines(memory.value()) : std::vector<std::string_view>()) {
    if (line.starts_with("MemAvailable:")) {
      const auto kib = number_in(line);
      mib = kib ? std::optional(*kib / 1024) : std::nullopt;
    }
  }
  const auto limit = number_of_file(kGroupLimit, files);
  const auto used = number_of_file(kGroupUse, files);
  if (limit && used) {
    const int64_t left = std::max<int64_t>(*limit - *used, 0) >> 20;
    mib = std::min(mib.value_or(left), left);
  }
  return mib;
}

}  // namespace shmem_bind
