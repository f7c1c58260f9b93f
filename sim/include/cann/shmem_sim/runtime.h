#pragma once

#include <cstddef>
#include <cstdint>

// What the headers of the kernel language are built on. Everything here acts on the running block; outside a kernel it
// is an error that ends the process with a message. Errors of the kernel end its launch and surface at synchronize.

namespace shmem_sim::ascendc {

// Pipes of a core. Work on one pipe is in order; between pipes only flags, barriers and quiet order it.
enum class Pipe : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kAll };

inline constexpr uint64_t kUbBytes = uint64_t{192} << 10;       // usable unified buffer of a core
inline constexpr uint64_t kUbWindowBytes = uint64_t{256} << 10;  // addresses below are unified-buffer addresses
inline constexpr int kEventIds = 8;

int64_t block_index();
int64_t block_count();
int64_t system_cycle();  // 50 MHz, as the hardware's counter

// Counted flags from one pipe to another. A flag that is waited for and never set is a finding, not a hang.
void set_flag(Pipe from, Pipe to, int id, const char* call = __builtin_FUNCTION());
void wait_flag(Pipe from, Pipe to, int id, const char* call = __builtin_FUNCTION());

// Completes what was issued on the pipe (kAll: on all) before the next instruction.
void pipe_barrier(Pipe pipe);

void sync_all();

// Address of the running block's unified buffer at `offset`.
void* ub_address(uint64_t offset);
bool is_ub(const void* address);

// Rows of `row_bytes` bytes; strides in bytes from the start of one row to the start of the next.
struct Copy {
  void* destination;
  const void* source;
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t destination_stride;
  uint64_t source_stride;
};

// Issues a copy on a pipe. It reads and writes when it completes: at issue, or in an adversarial run as late as flags
// and barriers allow. Both sides are checked at issue.
void issue_copy(Pipe pipe, const Copy& copy, const char* call);

// Global memory to global memory through `ub_bytes` of unified buffer: load on MTE2, store on MTE3, chained by flags with
// `event`. After the last chunk nothing is waited for.
void copy_through_ub(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t ub_bytes, int event, const char* call);

// Reports a finding and ends the kernel.
[[noreturn]] void fail(const char* rule, const char* text);

// Fails unless [address, address + bytes) is device memory or the block's unified buffer.
void require_device_memory(const void* address, uint64_t bytes, const char* what, const char* call);

// Records where the program is, for findings.
void at(const char* call, const char* file, int line);

void* allocate_ub(uint64_t bytes);  // for TPipe: 32-byte aligned, never freed within a launch
void reset_ub();

}  // namespace shmem_sim::ascendc

namespace shmem_sim {

// The pointer a cast to a unified-buffer pointer means: small integers are offsets into the running block's buffer.
template <class P>
P ub_cast(uint64_t value) {
  if (value < ascendc::kUbWindowBytes) {
    return reinterpret_cast<P>(ascendc::ub_address(value));
  }
  return reinterpret_cast<P>(value);
}

template <class P, class U>
P ub_cast(U* pointer) {
  return ub_cast<P>(reinterpret_cast<uint64_t>(pointer));
}

}  // namespace shmem_sim
