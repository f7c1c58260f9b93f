#include <cstdint>

#include "sim/acl/error.h"

// What torch_npu's libraries need at load time, or look up by name, and what the simulator does not
// model (unmodelled.def). Each names itself and fails. No vendor header here: only the names
// matter, the arguments are not looked at.

#define UNMODELLED(name)                        \
  int32_t name() {                              \
    return ::shmem_sim::acl::unmodelled(#name); \
  }
#define UNMODELLED_POINTER(name)         \
  void* name() {                         \
    ::shmem_sim::acl::unmodelled(#name); \
    return nullptr;                      \
  }
// Profiling data has nowhere to go; being asked to record some is not an error of the program.
#define DROPPED(name) \
  uint64_t name() {   \
    return 0;         \
  }

extern "C" {

#include "sim/acl/unmodelled.def"

}  // extern "C"
