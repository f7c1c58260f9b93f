#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/core/api.h"

// One block of a kernel launch: the unit that runs on one simulated core and that can be suspended
// at any depth inside an API call. Code that stands above the core keeps its per-block state in a
// BlockLocal.

namespace shmem_sim {

// What the kernel language keeps per block (pipes, local memory). The core asks it about transfers
// that were issued and are not complete yet; that is how a completion can be as late as the rules
// allow. Completing may end the kernel (fail_kernel).
class BlockLocal {
 public:
  virtual ~BlockLocal() = default;

  // True when nothing is outstanding.
  virtual bool drained() const = 0;

  // Completes one outstanding thing of the core's choice. Called when nothing else can run, or when
  // the longest holding time is over; drained() may still be false afterwards.
  virtual void complete_one() = 0;

  // Completes everything: the block's code has ended and its holding time is over.
  virtual void complete_all() = 0;
};

struct SourceLine {
  const char* file = nullptr;
  int line = 0;
};

class Launch;

// Owned by the scheduler. All members are only touched while the block runs or by the scheduler
// itself.
struct SHMEM_SIM_API Block {
  Launch* launch = nullptr;
  int64_t index = 0;  // 0 .. count-1
  int64_t count = 0;  // blocks of this launch
  int slot = 0;       // unique among the live blocks of this process, small: indexes arenas
  std::unique_ptr<BlockLocal> local;
  std::string_view last_call;  // the API call it is in or was last in, for reports; static storage
  SourceLine line;             // and where, when the caller knows
};

// The block that runs on this thread, null on a host thread. Not cached across a suspension: a
// fiber may go on on another thread.
SHMEM_SIM_API Block* current_block();

// Name of the kernel a block belongs to.
SHMEM_SIM_API std::string_view kernel_name(const Block& block);

// Lets other blocks run. On a host thread: std::this_thread::yield().
SHMEM_SIM_API void yield();

// Waits until all blocks of the launch have called it as often as this one (SyncAll). Only in a
// block.
SHMEM_SIM_API void sync_all_blocks();

}  // namespace shmem_sim
