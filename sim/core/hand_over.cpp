#include "sim/core/hand_over.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/core/background_thread.h"

namespace shmem_sim {
namespace {

struct AbstractName {
  sockaddr_un address = {};
  socklen_t length = 0;
  // A leading zero byte: not in the file system. A name that is too long is cut: nobody has it.
  explicit AbstractName(const std::string& name) {
    const size_t bytes = std::min(name.size(), sizeof address.sun_path - 1);
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), bytes);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

bool same_user(int connection) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         peer.uid == geteuid();
}

union ControlBuffer {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr align;
};

void send_file(int connection, int file) {
  char byte = 'F';
  iovec data{&byte, 1};
  ControlBuffer buffer = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer.bytes;
  message.msg_controllen = sizeof buffer.bytes;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  sendmsg(connection, &message, MSG_NOSIGNAL);
}

int receive_over(int connection) {
  char byte = 0;
  iovec data{&byte, 1};
  ControlBuffer buffer = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer.bytes;
  message.msg_controllen = sizeof buffer.bytes;
  int file = -1;
  if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == 1) {
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
      std::memcpy(&file, CMSG_DATA(header), sizeof file);
    }
  }
  return file;
}

// Number and process came over the network: only a memory file of a simulated PE may be opened.
int open_of_process(pid_t pid, int file_number) {
  const int file =
      open(fmt::format("/proc/{}/fd/{}", pid, file_number).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return -1;
  }
  char target[64] = {};
  const ssize_t length =
      readlink(fmt::format("/proc/self/fd/{}", file).c_str(), target, sizeof target - 1);
  if (length < 0 || std::string_view(target).rfind("/memfd:shmem-sim", 0) != 0) {
    close(file);
    errno = EPERM;
    return -1;
  }
  return file;
}

}  // namespace

HandOver::HandOver(int file) : file_(file) {
  uint64_t secret[2] = {};
  [[maybe_unused]] const ssize_t got = getrandom(secret, sizeof secret, 0);
  name_ = fmt::format("shmem-sim-{}-{:016x}{:016x}", getpid(), secret[0], secret[1]);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_ = eventfd(0, EFD_CLOEXEC);
  const AbstractName name(name_);
  if (listener_ < 0 || bind(listener_, name.get(), name.length) != 0 ||
      listen(listener_, 1024) != 0) {
    return;  // peers fall back to /proc
  }
  thread_ = background_thread([this] { serve(); });
}

HandOver::~HandOver() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
    thread_.join();
  }
  close(stop_);
  if (listener_ >= 0) {
    close(listener_);
  }
}

void HandOver::serve() {
  for (;;) {
    pollfd files[] = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    if (poll(files, 2, -1) < 0) {
      continue;
    }
    if ((files[0].revents & POLLIN) != 0) {
      return;
    }
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      if (same_user(connection)) {
        send_file(connection, file_);
      }
      close(connection);
    }
  }
}

int receive_file(const std::string& name, pid_t pid, int file_number) {
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{5, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const AbstractName address(name);
  int file = -1;
  if (connect(connection, address.get(), address.length) == 0 && same_user(connection)) {
    file = receive_over(connection);
  }
  close(connection);
  return file >= 0 ? file : open_of_process(pid, file_number);
}

}  // namespace shmem_sim
