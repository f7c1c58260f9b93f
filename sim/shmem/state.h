#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "sim/core/status.h"
#include "sim/core/stream.h"
#include "sim/include/shmem/host/shmem_host_api.h"
#include "sim/shmem/heap_allocator.h"

namespace shmem_sim::shmem {

// What the library knows between init and finalize. One object per process, behind the C API; host
// calls of one process are not made from several threads at once, as in the public library.
struct State {
  std::unique_ptr<HeapAllocator> allocator;
  Stream* default_stream = nullptr;
  uint64_t signal_area = 0;  // offset, taken from the heap as the public library does
  int64_t collective_calls = 0;
};

// Null before init and after finalize.
State* state();
void set_state(std::unique_ptr<State> fresh);

// Prints "call: text" once to stderr and returns the code.
int complain(const char* call, int code, const std::string& text);

// True when initialised; otherwise says so.
bool require_initialised(const char* call);

// The stream behind a handle; a null handle means the library's default stream. Null when the
// library is not initialised or the handle is no live stream (a finding); `call` has said so then.
Stream* stream_or_default(aclrtStream handle, const char* call);

// A finding when blocks of the heap are still allocated: finalize takes their memory away, so that
// whoever frees them later has no heap to free them in. Call before the state goes.
void report_unfreed_blocks();

// Waits for the default stream; the host's remote memory accesses are done then.
Status settle_default_stream();

}  // namespace shmem_sim::shmem
