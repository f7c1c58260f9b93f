#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/core/api.h"
#include "sim/core/block.h"
#include "sim/core/status.h"

// In-order queues of device work. Host calls return at once; one device thread per process, or a
// thread that synchronizes, runs whatever is ready. An error stays with its device until
// reset_device().
//
// Thread safety: all functions may be called from any thread, also from tasks; synchronizing from a
// task or a block is an error with code kKernelException, not a deadlock; a stream that is
// destroyed there goes when its work is done, a device cannot be reset there (finding
// "wait-in-device-work"). A task or block runs under the current device of its stream.
//
// When the process exits, the device thread stops before static objects are destroyed; what is
// queued then is only run by a thread that synchronizes.

namespace shmem_sim {

class Stream;  // handle, valid until destroy_stream
class Event;   // handle, valid until destroy_event

inline constexpr std::chrono::milliseconds kForever{-1};

// --- devices of this process: the current one is a property of the calling thread ---
SHMEM_SIM_API int device_count();
SHMEM_SIM_API int current_device();  // -1 before set_current_device on this thread
SHMEM_SIM_API void set_current_device(int device);
SHMEM_SIM_API Status device_error(int device);  // the error that sticks, ok when there is none
// Drops queued work, forgets the error, frees nothing. Waits for what runs at the moment.
SHMEM_SIM_API void reset_device(int device);

// --- streams ---
SHMEM_SIM_API Stream* create_stream(int device);
SHMEM_SIM_API Stream* default_stream(int device);  // what a null handle of the layer above means
SHMEM_SIM_API bool is_stream(const void* handle);
SHMEM_SIM_API void destroy_stream(Stream* stream);  // waits for its work
SHMEM_SIM_API int stream_device(const Stream* stream);
SHMEM_SIM_API int32_t stream_id(const Stream* stream);  // small, unique in the process

// A task runs on the device thread and must not wait for other device work. A failing task, or one
// that throws, sets the device's error; later work of that device is dropped and every synchronize
// returns the error.
using Task = std::function<Status()>;
SHMEM_SIM_API void enqueue(Stream* stream, const char* name, Task task);

SHMEM_SIM_API bool is_idle(const Stream* stream);
// Blocks until everything enqueued before the call is done, or the timeout. The calling thread runs
// ready work itself. Returns the device's error if there is one.
SHMEM_SIM_API Status synchronize(Stream* stream, std::chrono::milliseconds timeout = kForever);
SHMEM_SIM_API Status synchronize_device(int device, std::chrono::milliseconds timeout = kForever);

// --- events: record and wait are counted, so that re-recording does not confuse earlier waiters
// ---
SHMEM_SIM_API Event* create_event();
SHMEM_SIM_API void destroy_event(Event* event);  // pending records and waits keep it alive inside
SHMEM_SIM_API bool is_event(const void* handle);
SHMEM_SIM_API void record_event(Event* event, Stream* stream);
SHMEM_SIM_API void wait_event(Stream* stream,
                              Event* event);        // the stream waits; the caller does not
SHMEM_SIM_API bool event_done(const Event* event);  // true before the first record
SHMEM_SIM_API Status synchronize_event(Event* event, std::chrono::milliseconds timeout = kForever);
SHMEM_SIM_API int64_t event_time_ns(const Event* event);  // steady clock at completion, 0 before

// --- kernels ---
struct KernelLaunch {
  std::string name;            // as findings show it
  int64_t block_count = 1;     // 1 .. 65535; all blocks of a launch are live at once
  std::function<void()> body;  // run once per block, each on its own fiber
  std::function<std::unique_ptr<BlockLocal>(Block&)> make_local;  // may be empty
};
SHMEM_SIM_API void enqueue_launch(Stream* stream, KernelLaunch launch);

// Ends the running block's launch with this error, as an exception of the core would: the block
// does not return from this call, the others of the launch are abandoned at their next suspension.
[[noreturn]] SHMEM_SIM_API void fail_kernel(Status status);

}  // namespace shmem_sim
