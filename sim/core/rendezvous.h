#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "sim/core/status.h"

// How PEs meet: a TCP key-value store at PE 0. A key that is asked for before it is set is answered
// when it is. A PE can refuse the meeting: everyone who asks for something, now or later, is told
// why. The store refuses by itself when a client that has set a key ends without a farewell.
// Internal to sim/core; codes are JoinFault values.

namespace shmem_sim {

// PE 0's side: serves until destroyed. The port is free again afterwards.
class KeyValueServer {
 public:
  // Binds host:port, or takes over a listening socket that is bound already (>= 0).
  static Status start(const std::string& host,
                      uint16_t port,
                      int listener,
                      std::unique_ptr<KeyValueServer>& result);
  ~KeyValueServer();
  uint16_t port() const { return port_; }

  // After a refusal: returns when that many clients know of it, or at the deadline.
  void wait_until_told(int clients, std::chrono::steady_clock::time_point deadline) const;

 private:
  KeyValueServer() = default;
  void serve();

  int listener_ = -1;
  int stop_ = -1;  // eventfd
  uint16_t port_ = 0;
  std::atomic<int> told_{0};
  std::thread thread_;
};

class KeyValueClient {
 public:
  KeyValueClient() = default;
  ~KeyValueClient();  // says farewell
  KeyValueClient(const KeyValueClient&) = delete;
  KeyValueClient& operator=(const KeyValueClient&) = delete;

  // Tries until the deadline: PE 0 may start later.
  Status connect(const std::string& host,
                 uint16_t port,
                 std::chrono::steady_clock::time_point deadline);
  // The first value of a key stays; `kept` is that one. kMismatch when the meeting is refused.
  Status set(const std::string& key,
             const std::string& value,
             std::chrono::steady_clock::time_point deadline,
             std::string& kept);
  // Waits until the key is set or the deadline is over. kMismatch when the meeting is refused.
  Status get(const std::string& key,
             std::chrono::steady_clock::time_point deadline,
             std::string& value);
  // Best effort.
  void refuse(const std::string& reason);

 private:
  Status ask(char kind,
             const std::string& key,
             const std::string& value,
             std::chrono::steady_clock::time_point deadline,
             std::string& answer);

  int socket_ = -1;
  std::string endpoint_;
};

// True for 127.0.0.0/8, ::1 and names that resolve to nothing else.
bool is_loopback(const std::string& host);

}  // namespace shmem_sim
