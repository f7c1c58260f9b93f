#include "sim/include/cann/shmem_sim/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "sim/ascendc/local_memory.h"
#include "sim/ascendc/pipe.h"
#include "sim/core/choose.h"
#include "sim/core/finding.h"
#include "sim/core/memory.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"

namespace shmem_sim::ascendc {
namespace {

Block& running(const Site& site) {
  Block* block = current_block();
  if (block == nullptr || block->local == nullptr) {
    fmt::print(stderr, "shmem-sim: {} is for kernels and was called outside one\n", site.call);
    std::abort();
  }
  return *block;
}

// The running block's pipes, after noting where it is.
BlockPipes& noted(const Site& site) {
  Block& block = running(site);
  block.last_call = site.call;
  block.line = {site.file, site.line};
  return static_cast<BlockPipes&>(*block.local);
}

// For calls that get the program on.
BlockPipes& entered(const Site& site) {
  BlockPipes& own = noted(site);
  own.idling.progress(site);
  return own;
}

// For calls that a loop which only looks may contain.
BlockPipes& visited(const Site& site) {
  BlockPipes& own = noted(site);
  own.idling.neutral(site);
  return own;
}

Flag checked_flag(Pipe from, Pipe to, int id, const Site& site) {
  if (id < 0 || id >= kEventIds) {
    fail("bad-event-id",
         fmt::format("{}: event id {}: 0 to {} exist", site.call, id, kEventIds - 1));
  }
  if (from == to || from >= Pipe::kAll || to >= Pipe::kAll) {
    fail("bad-flag", fmt::format("{}: a flag goes from one pipe to another", site.call));
  }
  return {from, to, static_cast<uint8_t>(id)};
}

void require_ub(const BlockPipes& own,
                const void* address,
                uint64_t bytes,
                const char* what,
                const Site& site) {
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte*>(address) - own.ub());
  if (offset >= kUbWindowBytes) {
    fail("foreign-unified-buffer",
         fmt::format("{}: the {} lies in another block's unified buffer", site.call, what));
  }
  if (bytes > kUbBytes || offset > kUbBytes - bytes) {
    fail("unified-buffer-overflow",
         fmt::format("{}: the {} covers [{:#x}, {:#x}) of a unified buffer of {:#x} bytes",
                     site.call,
                     what,
                     offset,
                     offset + bytes,
                     kUbBytes));
  }
}

// CANN, Ascend C API, general restrictions: addresses in the unified buffer are multiples of 32
// bytes.
void require_ub_alignment(const BlockPipes& own,
                          const void* address,
                          uint64_t stride,
                          const char* what,
                          const Site& site) {
  if (!in_ub_arena(address)) {
    return;
  }
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte*>(address) - own.ub());
  if (offset % kUbBlockBytes != 0 || stride % kUbBlockBytes != 0) {
    fail("unaligned-unified-buffer",
         fmt::format("{}: the {} starts at {:#x} of the unified buffer (stride {}): transfers "
                     "need multiples of {} bytes",
                     site.call,
                     what,
                     offset,
                     stride,
                     kUbBlockBytes));
  }
}

uint64_t extent(uint64_t rows, uint64_t row_bytes, uint64_t stride) {
  return rows == 0 || row_bytes == 0 ? 0 : (rows - 1) * stride + row_bytes;
}

}  // namespace

int64_t block_index() {
  return running("GetBlockIdx").index;
}
int64_t block_count() {
  return running("GetBlockNum").count;
}

int64_t system_cycle() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() / 20;
}

void note_call(const Site& site) {
  noted(site);
}

void enter(const Site& site) {
  entered(site);
}

void set_flag(Pipe from, Pipe to, int id, const Site& site) {
  BlockPipes& own = visited(site);
  own.set_flag(checked_flag(from, to, id, site));
}

void wait_flag(Pipe from, Pipe to, int id, const Site& site) {
  BlockPipes& own = visited(site);
  own.wait_flag(checked_flag(from, to, id, site));
}

void pipe_barrier(Pipe pipe, const Site& site) {
  visited(site).complete(pipe);
}

void sync_all(const Site& site) {
  entered(site);
  sync_all_blocks();
}

void* ub_address(uint64_t offset) {
  running("a cast to a unified-buffer pointer");
  return pipes().ub() + offset;
}

void* ub_range(uint64_t offset, uint64_t bytes, const Site& site) {
  running(site);
  const BlockPipes& own = pipes();
  if (offset > kUbBytes || bytes > kUbBytes - offset) {
    entered(site);
    require_ub(own, own.ub() + std::min(offset, kUbBytes), bytes, "tensor", site);
  }
  return own.ub() + offset;
}

bool is_ub(const void* address) {
  return in_ub_arena(address);
}

void require_device_memory(const void* address,
                           uint64_t bytes,
                           const char* what,
                           const Site& site) {
  if (bytes == 0) {
    return;
  }
  if (in_ub_arena(address)) {
    require_ub(pipes(), address, bytes, what, site);
    return;
  }
  const std::optional<Region> region = find_region(address);
  if (!region || region->kind == MemoryKind::kHost) {
    fail("not-device-memory",
         fmt::format("{}: the {} {} is {}",
                     site.call,
                     what,
                     address,
                     region ? "pinned host memory" : "no device memory that is allocated"));
  }
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte*>(address) -
                                            static_cast<std::byte*>(region->base));
  if (bytes > region->bytes - offset) {
    fail("out-of-range",
         fmt::format("{}: the {} covers {} bytes at offset {} of an allocation of {} bytes",
                     site.call,
                     what,
                     bytes,
                     offset,
                     region->bytes));
  }
}

void issue_copy(Pipe pipe, const Copy& copy, const Site& site) {
  BlockPipes& own = noted(site);
  const uint64_t destination = extent(copy.rows, copy.padded_bytes(), copy.destination_stride);
  const uint64_t source = extent(copy.rows, copy.row_bytes, copy.source_stride);
  if (destination == 0) {
    return;
  }
  require_device_memory(copy.destination, destination, "destination", site);
  require_device_memory(copy.source, source, "source", site);
  require_ub_alignment(
      own, copy.destination, copy.rows > 1 ? copy.destination_stride : 0, "destination", site);
  require_ub_alignment(own, copy.source, copy.rows > 1 ? copy.source_stride : 0, "source", site);
  if (pipe == Pipe::kMte2 && copy.rows == 1 && copy.padded_bytes() <= Idling::kSmall) {
    own.idling.look(copy.source, copy.row_bytes, site);  // how kernels look at flags
  } else {
    own.idling.progress(site);
  }
  own.issue(pipe, copy);
}

namespace {

// Everything at once: the destination first, then what the last chunks leave in the buffer.
void copy_at_once(void* destination, const void* source, uint64_t bytes, const Window& window) {
  transfer(destination, source, bytes);
  const uint64_t chunk = window.bytes;
  const uint64_t tail = bytes % chunk == 0 ? chunk : bytes % chunk;
  const auto* from = static_cast<const std::byte*>(source);
  if (bytes > chunk && tail < chunk) {
    std::memcpy(window.ub, from + bytes - tail - chunk, chunk);
  }
  std::memcpy(window.ub, from + bytes - std::min(tail, bytes), std::min(tail, bytes));
}

void copy_in_chunks(
    BlockPipes& own, void* destination, const void* source, uint64_t bytes, const Window& window) {
  const auto id = static_cast<uint8_t>(window.event);
  const Flag loaded{Pipe::kMte2, Pipe::kMte3, id};
  const Flag stored{Pipe::kMte3, Pipe::kMte2, id};
  for (uint64_t at = 0; at < bytes; at += window.bytes) {
    const uint64_t count = std::min(window.bytes, bytes - at);
    own.issue(Pipe::kMte2, {window.ub, static_cast<const std::byte*>(source) + at, 1, count, 0, 0});
    own.set_flag(loaded);
    own.wait_flag(loaded);
    own.issue(Pipe::kMte3, {static_cast<std::byte*>(destination) + at, window.ub, 1, count, 0, 0});
    if (at + count < bytes) {
      own.set_flag(stored);
      own.wait_flag(stored);
    }
  }
}

void check_window(const BlockPipes& own, const Window& window, uint64_t bytes, const Site& site) {
  checked_flag(Pipe::kMte2, Pipe::kMte3, window.event, site);
  if (window.bytes == 0) {
    fail("unified-buffer-overflow",
         fmt::format("{}: a buffer smaller than one element", site.call));
  }
  if (!in_ub_arena(window.ub)) {
    fail("foreign-unified-buffer",
         fmt::format("{}: the buffer {} is no unified buffer", site.call, window.ub));
  }
  require_ub(own, window.ub, std::min(bytes, window.bytes), "buffer", site);
  require_ub_alignment(own, window.ub, 0, "buffer", site);
}

}  // namespace

void copy_through_ub(
    void* destination, const void* source, uint64_t bytes, const Window& window, const Site& site) {
  BlockPipes& own = entered(site);
  check_window(own, window, bytes, site);
  require_device_memory(destination, bytes, "destination", site);
  require_device_memory(source, bytes, "source", site);
  if (bytes == 0) {
    return;
  }
  if (!adversarial() && own.idle(Pipe::kMte2) && own.idle(Pipe::kMte3)) {
    copy_at_once(destination, source, bytes, window);
  } else {
    copy_in_chunks(own, destination, source, bytes, window);
  }
}

uint64_t load_scalar(const void* address, size_t bytes, const Site& site) {
  require_device_memory(address, bytes, "word", site);
  poll(address, bytes, site);
  return load_word(address, bytes);
}

void store_scalar(void* address, uint64_t value, size_t bytes, const Site& site) {
  entered(site);
  require_device_memory(address, bytes, "word", site);
  store_word(address, value, bytes);
}

void fail(const char* rule, const std::string& text) {
  report({rule, text});
  fail_kernel(failed(kKernelException, std::string(rule) + ": " + text));
}

void* allocate_ub(uint64_t bytes) {
  BlockPipes& own = entered("TPipe::InitBuffer");
  const uint64_t rounded = (bytes + kUbBlockBytes - 1) / kUbBlockBytes * kUbBlockBytes;
  if (rounded > kUbBytes - own.ub_taken) {
    fail("unified-buffer-overflow",
         fmt::format("TPipe::InitBuffer: {} bytes asked for, {} of {} are left",
                     bytes,
                     kUbBytes - own.ub_taken,
                     kUbBytes));
  }
  void* result = own.ub() + own.ub_taken;
  own.ub_taken += rounded;
  return result;
}

void reset_ub() {
  running("TPipe");
  pipes().ub_taken = 0;
}

void*& current_tpipe() {
  running("GetTPipePtr");
  return pipes().tpipe;
}

}  // namespace shmem_sim::ascendc
