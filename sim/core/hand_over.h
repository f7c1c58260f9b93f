#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <thread>

// Gives this process's memory file to peers that are neither parent nor child: SCM_RIGHTS over an
// abstract unix socket, only to processes of the same user that know the name; nothing is left in
// the file system. Where the socket cannot be reached (another network namespace),
// /proc/<pid>/fd/<n>. Internal to sim/core.

namespace shmem_sim {

class HandOver {
 public:
  explicit HandOver(int file);  // starts to serve
  ~HandOver();
  // What a peer needs to know, as text.
  const std::string& name() const { return name_; }

 private:
  void serve();

  int file_;
  int listener_ = -1;
  int stop_ = -1;
  std::string name_;
  std::thread thread_;
};

// The memory file of the process that offers `name`; -1 and errno when it cannot be had.
int receive_file(const std::string& name, pid_t pid, int file_number);

}  // namespace shmem_sim
