#pragma once

#include <cstdint>
#include <string>
#include <utility>

// How work of the simulated device ends. Codes are opaque to the core except for the few it raises
// itself; they have the numeric values of the runtime above, so that no table is needed to pass
// them on.

namespace shmem_sim {

struct Status {
  int32_t code = 0;     // 0: done
  std::string message;  // empty when code is 0: what failed, where, and what to do

  bool ok() const { return code == 0; }
};

inline Status failed(int32_t code, std::string message) {
  return {code, std::move(message)};
}

inline constexpr int32_t kSynchronizeTimeout = 107020;  // a host wait ran into its own timeout
inline constexpr int32_t kKernelTimeout = 507014;    // a wait inside a kernel passed its deadline
inline constexpr int32_t kKernelException = 507015;  // a kernel or another device task failed
inline constexpr int32_t kPeerLost = 507899;         // another PE of the job died

}  // namespace shmem_sim
