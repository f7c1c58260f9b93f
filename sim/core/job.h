#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/api.h"
#include "sim/core/status.h"

// The PEs of one job: how they meet, the memory they share, how they notice that one died. One job
// per process at a time. PE 0 runs a TCP key-value store at the endpoint; everything after the
// meeting goes through memory files (one per PE, mapped by all at the same layout, nothing in
// /dev/shm).

namespace shmem_sim {

struct JobOptions {
  int pe = 0;
  int pe_count = 1;
  std::string host;  // numeric or name; PE 0 binds it; only loopback unless allow_remote
  uint16_t port = 0;
  int listener_fd =
      -1;  // PE 0 may bring a socket it has bound already (unique id); owned afterwards
  uint64_t heap_bytes = 0;                    // symmetric heap of each PE, must be equal on all PEs
  uint64_t heap_alignment = 1u << 30;         // stride between two PEs' heaps is rounded up to this
  std::chrono::milliseconds timeout{120000};  // to meet
  // Of each barrier. At most SHMEM_SIM_WAIT_TIMEOUT_MS, which 0 means, too.
  std::chrono::milliseconds barrier_timeout{0};
};

// Fault codes of join(): which stage failed. The caller maps them.
enum class JoinFault : int32_t {
  kNone = 0,
  kEndpoint = 1,
  kTimeout = 2,
  kMismatch = 3,  // the PEs do not fit together, or one of them has given up
  kMemory = 4
};

// Collective. Ok, or code = JoinFault and a message with endpoint, PE and errno. On failure nothing
// is left behind and a later join works.
SHMEM_SIM_API Status join_job(const JobOptions& options);

// Collective: barrier, then everything is unmapped and closed. Ok when not joined.
SHMEM_SIM_API Status leave_job();

// A listening socket on host:port (0: any free port), for JobOptions::listener_fd. -1 and errno on
// failure.
SHMEM_SIM_API int bind_listener(const std::string& host, uint16_t port, uint16_t& bound_port);

SHMEM_SIM_API bool in_job();
SHMEM_SIM_API int job_pe();        // -1 when not joined
SHMEM_SIM_API int job_pe_count();  // -1 when not joined

// Barrier of host threads over the job's control memory, one thread per PE. kPeerLost when a PE
// died. kSynchronizeTimeout, and the finding "wait-deadline" that names the missing PEs, when it
// does not end in time; this PE has then not taken part in it.
SHMEM_SIM_API Status job_barrier();

// Gathers `bytes` bytes of each PE into `all` (pe_count * bytes, in PE order). Collective, host
// side.
SHMEM_SIM_API Status job_all_gather(const void* mine, size_t bytes, void* all);

// Ok, or kPeerLost with the dead PE's number and pid.
SHMEM_SIM_API Status job_status();

// Ends the whole job: the others are told and end with this reason within peer_grace_ms, with exit
// code 70; with exit_code 0 they end at once, with 0.
[[noreturn]] SHMEM_SIM_API void abort_job(int exit_code, std::string_view reason);

// --- symmetric memory ---
// Where this process sees the heap of `pe`; null when not joined.
SHMEM_SIM_API std::byte* heap_base(int pe);
SHMEM_SIM_API uint64_t heap_bytes();

struct SymmetricPlace {
  int pe = -1;  // -1: not in any PE's heap
  uint64_t offset = 0;
};
SHMEM_SIM_API SymmetricPlace symmetric_place(const void* address);

// A small shared area of the job for the layer above (teams, device barriers): `bytes` per PE,
// zeroed, cache-line aligned. Known at join time; see kUserControlBytes.
inline constexpr size_t kUserControlBytes = size_t{1} << 20;
SHMEM_SIM_API std::byte* user_control(int pe);

}  // namespace shmem_sim
