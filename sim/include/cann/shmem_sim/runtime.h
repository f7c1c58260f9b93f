#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What the headers of the kernel language are built on. Everything here acts on the running block;
// called outside a kernel it ends the process with a message. An error of the kernel is reported as
// a finding, ends the launch and surfaces when the stream is synchronized: functions that may fail
// do not return then.

namespace shmem_sim::ascendc {

// Pipes of a core. Work on one pipe is in order; between pipes only flags, barriers and quiet order
// it.
enum class Pipe : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kAll };

inline constexpr uint64_t kUbBytes = uint64_t{192} << 10;  // usable unified buffer of a core
inline constexpr uint64_t kUbWindowBytes = uint64_t{256}
                                           << 10;  // addresses below are unified-buffer addresses
inline constexpr uint64_t kUbBlockBytes = 32;      // alignment and granule of the unified buffer
inline constexpr int kPoison = 0xA5;  // bytes that nobody has written, where it matters
inline constexpr int kEventIds = 8;

// Which call of the language, and where it stands in the program.
struct Site {
  const char* call = "";
  const char* file = nullptr;
  int line = 0;

  Site(const char* name) : call(name) {}
  Site(const char* name, const char* source, int number) : call(name), file(source), line(number) {}
};

// As a defaulted last parameter: the place of the call.
class Here {
 public:
  constexpr Here(const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : file_(file), line_(line) {}
  Site in(const char* call) const { return {call, file_, line_}; }

 private:
  const char* file_;
  int line_;
};

int64_t block_index();
int64_t block_count();
int64_t system_cycle();  // 50 MHz, as the hardware's counter

// Flags from one pipe to another, one bit each (id 0 to 7). Setting one twice without a wait
// between and waiting for one that nothing issued can set are findings. Blocks the scalar pipe only
// when `to` is kS.
void set_flag(Pipe from, Pipe to, int id, const Site& site);
void wait_flag(Pipe from, Pipe to, int id, const Site& site);

// Completes what was issued on the pipe (kAll: on all) before the next instruction.
void pipe_barrier(Pipe pipe, const Site& site);

// Waits until all blocks of the launch are here. Completes nothing.
void sync_all(const Site& site);

// Address of the running block's unified buffer at `offset`, which may be anything below
// kUbWindowBytes.
void* ub_address(uint64_t offset);
// The same for an access of the API: [offset, offset + bytes) must lie in the usable buffer.
void* ub_range(uint64_t offset, uint64_t bytes, const Site& site);
bool is_ub(const void* address);

// Elements of one value before and behind every row of a load: `left` and `right` of them in bytes,
// `unit` bytes an element. At most 32 bytes a side.
struct Padding {
  uint8_t left = 0;
  uint8_t right = 0;
  uint8_t unit = 1;
  uint64_t value = 0;  // its first `unit` bytes
};

// Rows of `row_bytes` bytes; strides in bytes from the start of one row to the start of the next.
// A row at the destination starts with its padding.
struct Copy {
  void* destination;
  const void* source;
  uint64_t rows;
  uint64_t row_bytes;
  uint64_t destination_stride;
  uint64_t source_stride;
  Padding padding = {};

  uint64_t padded_bytes() const { return row_bytes + padding.left + padding.right; }
};

// Issues a copy on a pipe. It reads and writes when it completes: at issue, or in an adversarial
// run as late as flags and barriers allow. Both sides are checked at issue: allocated device
// memory, or the block's own unified buffer from a multiple of 32 bytes on.
void issue_copy(Pipe pipe, const Copy& copy, const Site& site);

// The part of the unified buffer that a transfer through it may use, and the event id that chains
// its two halves.
struct Window {
  void* ub;
  uint64_t bytes;
  int event;
};

// Global memory to global memory through a window: load on MTE2, store on MTE3, chained by flags.
// After the last chunk nothing is waited for.
void copy_through_ub(
    void* destination, const void* source, uint64_t bytes, const Window& window, const Site& site);

// Scalar access to global memory: one load or store of 1, 2, 4 or 8 bytes that other cores and PEs
// see as one. Complete when it returns and not ordered with what is in flight on other pipes. Loops
// that load until a value changes make progress.
uint64_t load_scalar(const void* address, size_t bytes, const Site& site);
void store_scalar(void* address, uint64_t value, size_t bytes, const Site& site);

// To be called by every operation that a program may repeat until some word (null: any) changes:
// lets other blocks run, and ends the kernel with "wait-deadline" when nothing but polling happened
// for the time of a wait.
void poll(const void* word, size_t bytes, const Site& site);

// Reports a finding and ends the kernel.
[[noreturn]] void fail(const char* rule, const std::string& text);

// Fails unless [address, address + bytes) is device memory or the block's unified buffer.
void require_device_memory(const void* address, uint64_t bytes, const char* what, const Site& site);

// Says which call the block is in, for findings.
void note_call(const Site& site);

// The same, for a call that gets the program on: a loop that makes it is not one that only looks.
void enter(const Site& site);

void* allocate_ub(uint64_t bytes);  // for TPipe: 32-byte aligned, never freed within a launch
void reset_ub();
void*& current_tpipe();  // the TPipe object of the running block

}  // namespace shmem_sim::ascendc

namespace shmem_sim {

// The pointer a cast to a unified-buffer pointer means: small integers are offsets into the running
// block's buffer.
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
