#include "sim/core/rendezvous.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "sim/core/background_thread.h"
#include "sim/core/job.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kMagic = 0x53484d31;  // "SHM1": tells a foreign server apart
constexpr uint32_t kMaxTextBytes = 1 << 16;

Status fault(JoinFault code, std::string message) {
  return failed(static_cast<int32_t>(code), std::move(message));
}

struct Addresses {
  addrinfo* list = nullptr;
  ~Addresses() {
    if (list != nullptr) {
      freeaddrinfo(list);
    }
  }
};

int resolve(const std::string& host, uint16_t port, Addresses& addresses) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  return getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &addresses.list);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return left < 0ms ? 0 : static_cast<int>(std::min<int64_t>(left.count(), 1 << 30));
}

bool send_all(int socket, const void* data, size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    at += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, size_t bytes, Clock::time_point deadline) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd waiting{socket, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    const ssize_t received = recv(socket, at, bytes, 0);
    if (received < 0 && errno == EINTR) {
      continue;
    }
    if (received <= 0) {
      errno = received == 0 ? ECONNRESET : errno;
      return false;
    }
    at += received;
    bytes -= static_cast<size_t>(received);
  }
  return true;
}

// A message: magic, kind, key, value; texts with their length in front. To the store: set, get,
// refuse, farewell. From it: value, refused.
constexpr char kSet = 'S';
constexpr char kGet = 'G';
constexpr char kRefuse = 'X';
constexpr char kFarewell = 'Q';
constexpr char kValue = 'V';
constexpr char kRefused = 'R';

struct Message {
  char kind = 0;
  std::string key;
  std::string value;
};

bool send_message(int socket, const Message& message) {
  std::string wire;
  const auto number = [&wire](uint32_t value) {
    value = htonl(value);
    wire.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  number(kMagic);
  wire += message.kind;
  number(static_cast<uint32_t>(message.key.size()));
  wire += message.key;
  number(static_cast<uint32_t>(message.value.size()));
  wire += message.value;
  return send_all(socket, wire.data(), wire.size());
}

bool receive_number(int socket, uint32_t& value, Clock::time_point deadline) {
  if (!receive_all(socket, &value, sizeof value, deadline)) {
    return false;
  }
  value = ntohl(value);
  return true;
}

bool receive_text(int socket, std::string& text, Clock::time_point deadline) {
  uint32_t bytes = 0;
  if (!receive_number(socket, bytes, deadline)) {
    return false;
  }
  if (bytes > kMaxTextBytes) {
    errno = EPROTO;
    return false;
  }
  text.resize(bytes);
  return receive_all(socket, text.data(), bytes, deadline);
}

bool receive_message(int socket, Message& message, Clock::time_point deadline) {
  uint32_t magic = 0;
  if (!receive_number(socket, magic, deadline)) {
    return false;
  }
  if (magic != kMagic) {
    errno = EPROTO;
    return false;
  }
  return receive_all(socket, &message.kind, 1, deadline) &&
         receive_text(socket, message.key, deadline) &&
         receive_text(socket, message.value, deadline);
}

// What PE 0 keeps, and who waits for what. Used by the serving thread only.
class Store {
 public:
  explicit Store(std::atomic<int>& told) : told_(told) {}

  // Answers, or keeps the client waiting.
  void handle(int client, const Message& message) {
    if (message.kind == kRefuse) {
      told_.fetch_add(1);  // this client knows
      refuse(message.value);
    } else if (message.kind == kFarewell) {
      owners_.erase(client);
    } else if (!refusal_.empty()) {
      tell_refusal(client);
    } else if (message.kind == kSet) {
      set(client, message.key, message.value);
    } else if (const auto found = values_.find(message.key); found != values_.end()) {
      send_message(client, {kValue, message.key, found->second});
    } else {
      waiting_.emplace(message.key, client);
    }
  }

  // The connection is closed.
  void drop(int client) {
    std::erase_if(waiting_, [client](const auto& item) { return item.second == client; });
    if (const auto owner = owners_.find(client); owner != owners_.end()) {
      refuse(owner->second + " ended while the PEs met");
      owners_.erase(client);
    }
  }

 private:
  void set(int client, const std::string& key, const std::string& value) {
    const auto [item, fresh] = values_.emplace(key, value);
    send_message(client, {kValue, key, item->second});
    if (fresh) {
      owners_[client] = key;
      const auto [begin, end] = waiting_.equal_range(key);
      for (auto waiter = begin; waiter != end; ++waiter) {
        send_message(waiter->second, {kValue, key, value});
      }
      waiting_.erase(key);
    }
  }

  void refuse(const std::string& reason) {
    if (refusal_.empty()) {
      refusal_ = reason;
    }
    for (const auto& [key, client] : waiting_) {
      tell_refusal(client);
    }
    waiting_.clear();
  }

  void tell_refusal(int client) {
    send_message(client, {kRefused, "", refusal_});
    told_.fetch_add(1);
  }

  std::map<std::string, std::string> values_;
  std::multimap<std::string, int> waiting_;  // key -> client
  std::map<int, std::string> owners_;        // client -> the key it has set
  std::string refusal_;
  std::atomic<int>& told_;
};

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

bool is_loopback(const std::string& host) {
  Addresses addresses;
  if (resolve(host, 1, addresses) != 0) {
    return false;
  }
  for (const addrinfo* item = addresses.list; item != nullptr; item = item->ai_next) {
    if (item->ai_family == AF_INET) {
      const auto* in = reinterpret_cast<const sockaddr_in*>(item->ai_addr);
      if ((ntohl(in->sin_addr.s_addr) >> 24) != 127) {
        return false;
      }
    } else if (item->ai_family == AF_INET6) {
      const auto* in = reinterpret_cast<const sockaddr_in6*>(item->ai_addr);
      if (!IN6_IS_ADDR_LOOPBACK(&in->sin6_addr)) {
        return false;
      }
    }
  }
  return true;
}

int bind_listener(const std::string& host, uint16_t port, uint16_t& bound_port) {
  Addresses addresses;
  if (resolve(host, port, addresses) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  const addrinfo* address = addresses.list;
  const int listener = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) {
    return -1;
  }
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, address->ai_addr, address->ai_addrlen) != 0 || listen(listener, 1024) != 0) {
    const int error = errno;
    close(listener);
    errno = error;
    return -1;
  }
  sockaddr_storage name = {};
  socklen_t length = sizeof name;
  getsockname(listener, reinterpret_cast<sockaddr*>(&name), &length);
  bound_port = ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                                : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
  return listener;
}

Status KeyValueServer::start(const std::string& host,
                             uint16_t port,
                             int listener,
                             std::unique_ptr<KeyValueServer>& result) {
  std::unique_ptr<KeyValueServer> server(new KeyValueServer);
  server->port_ = port;
  server->listener_ = listener >= 0 ? listener : bind_listener(host, port, server->port_);
  if (server->listener_ < 0) {
    return fault(JoinFault::kEndpoint,
                 fmt::format("PE 0 cannot listen on {}:{}: {}{}",
                             host,
                             port,
                             std::strerror(errno),
                             errno == EADDRINUSE
                                 ? "; another job or an earlier run uses the port: take a free one"
                                 : ""));
  }
  server->stop_ = eventfd(0, EFD_CLOEXEC);
  server->thread_ = background_thread([raw = server.get()] { raw->serve(); });
  result = std::move(server);
  return {};
}

KeyValueServer::~KeyValueServer() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
    thread_.join();
  }
  for (const int file : {listener_, stop_}) {
    if (file >= 0) {
      close(file);
    }
  }
}

void KeyValueServer::wait_until_told(int clients, Clock::time_point deadline) const {
  while (told_ < clients && Clock::now() < deadline) {
    std::this_thread::sleep_for(5ms);
  }
}

void KeyValueServer::serve() {
  Store store(told_);
  std::vector<pollfd> files = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
  while ((files[0].revents & POLLIN) == 0) {
    if (poll(files.data(), files.size(), -1) < 0) {
      continue;
    }
    for (size_t i = files.size() - 1; i >= 2; --i) {
      if (files[i].revents == 0) {
        continue;
      }
      Message message;
      if (receive_message(files[i].fd, message, Clock::now() + 5s)) {
        store.handle(files[i].fd, message);
      } else {
        store.drop(files[i].fd);
        close(files[i].fd);
        files.erase(files.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if ((files[1].revents & POLLIN) != 0) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client >= 0) {
        send_at_once(client);
        files.push_back({client, POLLIN, 0});
      }
    }
  }
  for (size_t i = 2; i < files.size(); ++i) {
    close(files[i].fd);
  }
}

KeyValueClient::~KeyValueClient() {
  if (socket_ >= 0) {
    send_message(socket_, {kFarewell, "", ""});
    close(socket_);
  }
}

Status KeyValueClient::connect(const std::string& host, uint16_t port, Clock::time_point deadline) {
  endpoint_ = fmt::format("{}:{}", host, port);
  Addresses addresses;
  if (const int error = resolve(host, port, addresses); error != 0) {
    return fault(JoinFault::kEndpoint,
                 fmt::format("endpoint {}: {}", endpoint_, gai_strerror(error)));
  }
  auto pause = 1ms;
  for (;;) {
    const addrinfo* address = addresses.list;
    socket_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ >= 0 && ::connect(socket_, address->ai_addr, address->ai_addrlen) == 0) {
      send_at_once(socket_);
      return {};
    }
    const int error = errno;
    if (socket_ >= 0) {
      close(socket_);
      socket_ = -1;
    }
    if (Clock::now() + pause >= deadline) {
      return fault(
          JoinFault::kTimeout,
          fmt::format(
              "no answer from PE 0 at {} ({}): it has not started, ended early, or could not "
              "use the port (see its own message)",
              endpoint_,
              std::strerror(error)));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::milliseconds>(pause * 2, 200ms);
  }
}

Status KeyValueClient::ask(char kind,
                           const std::string& key,
                           const std::string& value,
                           Clock::time_point deadline,
                           std::string& answer) {
  Message message;
  if (!send_message(socket_, {kind, key, value}) || !receive_message(socket_, message, deadline)) {
    const int error = errno;
    if (error == EPROTO) {
      return fault(
          JoinFault::kEndpoint,
          fmt::format("what listens at {} is not a PE of this job: take another port", endpoint_));
    }
    if (error == ETIMEDOUT) {
      return fault(JoinFault::kTimeout,
                   fmt::format("{} has not come to {} in time: was it started?", key, endpoint_));
    }
    return fault(
        JoinFault::kEndpoint,
        fmt::format("PE 0 at {} ended while the PEs met ({})", endpoint_, std::strerror(error)));
  }
  if (message.kind == kRefused) {
    return fault(JoinFault::kMismatch, message.value);
  }
  answer = std::move(message.value);
  return {};
}

Status KeyValueClient::set(const std::string& key,
                           const std::string& value,
                           Clock::time_point deadline,
                           std::string& kept) {
  return ask(kSet, key, value, deadline, kept);
}

Status KeyValueClient::get(const std::string& key, Clock::time_point deadline, std::string& value) {
  return ask(kGet, key, "", deadline, value);
}

void KeyValueClient::refuse(const std::string& reason) {
  send_message(socket_, {kRefuse, "", reason});
}

}  // namespace shmem_sim
