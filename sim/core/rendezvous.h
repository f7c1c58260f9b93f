#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "sim/core/status.h"

// How PEs meet: a TCP key-value store at PE 0. A key that is asked for before it is set is answered
// when it is. Internal to sim/core; codes are JoinFault values.

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

 private:
  KeyValueServer() = default;
  void serve();

  int listener_ = -1;
  int stop_ = -1;  // eventfd
  uint16_t port_ = 0;
  std::thread thread_;
};

class KeyValueClient {
 public:
  ~KeyValueClient();
  // Tries until the deadline: PE 0 may start later.
  Status connect(const std::string& host,
                 uint16_t port,
                 std::chrono::steady_clock::time_point deadline);
  Status set(const std::string& key, const std::string& value);
  // Waits until the key is set or the deadline is over.
  Status get(const std::string& key,
             std::chrono::steady_clock::time_point deadline,
             std::string& value);

 private:
  int socket_ = -1;
  std::string endpoint_;
};

// True for 127.0.0.0/8, ::1 and names that resolve to nothing else.
bool is_loopback(const std::string& host);

}  // namespace shmem_sim
