#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/hand_over.h"
#include "sim/core/job.h"
#include "sim/core/rendezvous.h"
#include "sim/core/status.h"

// The first part of joining: the PEs learn of each other. Internal to sim/core.

namespace shmem_sim {

// What a PE tells the others.
struct Introduction {
  int pe_count = 0;
  uint64_t heap_bytes = 0;
  pid_t pid = 0;
  int file = -1;     // number of its memory file, in its process
  std::string name;  // under which it hands it over

  bool fits(const Introduction& other) const;
  std::string text() const;
  static Introduction parse(const std::string& text);
};

// The sockets of the meeting. They must live until every PE has everybody's introduction and memory
// file.
struct Meeting {
  std::unique_ptr<KeyValueServer> server;  // on PE 0
  std::unique_ptr<HandOver> hand_over;
};

// Collective, of at least two PEs. Fills `all` in PE order. Fails on all PEs when they do not fit
// together; codes are JoinFault values.
Status meet_peers(const JobOptions& options, Meeting& meeting, std::vector<Introduction>& all);

}  // namespace shmem_sim
