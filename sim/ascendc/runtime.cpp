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

Block& running(const char* call) {
  Block* block = current_block();
  if (block == nullptr || block->local == nullptr) {
    fmt::print(stderr, "shmem-sim: {} called outside a kernel\n", call);
    std::abort();
  }
  block->last_call = call;
  return *block;
}

void check_flag(Pipe from, Pipe to, int id, const char* call) {
  if (id < 0 || id >= kEventIds) {
    fail("bad-event-id", fmt::format("{}: event id {}: 0 to {} exist", call, id, kEventIds - 1).c_str());
  }
  if (from == to || from == Pipe::kAll || to == Pipe::kAll) {
    fail("bad-flag", fmt::format("{}: a flag goes from one pipe to another", call).c_str());
  }
}

void require_ub(const BlockPipes& own, const void* address, uint64_t bytes, const char* what, const char* call) {
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte*>(address) - own.ub());
  if (offset >= kUbWindowBytes) {
    fail("foreign-unified-buffer",
         fmt::format("{}: the {} lies in another block's unified buffer", call, what).c_str());
  }
  if (bytes > kUbBytes || offset > kUbBytes - bytes) {
    fail("unified-buffer-overflow", fmt::format("{}: the {} covers [{:#x}, {:#x}) of a unified buffer of {:#x} bytes",
                                                call, what, offset, offset + bytes, kUbBytes)
                                        .c_str());
  }
}

uint64_t extent(uint64_t rows, uint64_t row_bytes, uint64_t stride) {
  return rows == 0 ? 0 : (rows - 1) * stride + row_bytes;
}

}  // namespace

int64_t block_index() { return running("GetBlockIdx").index; }
int64_t block_count() { return running("GetBlockNum").count; }

int64_t system_cycle() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() / 20;
}

void set_flag(Pipe from, Pipe to, int id, const char* call) {
  running(call);
  check_flag(from, to, id, call);
  pipes().set_flag(from, to, id);
}

void wait_flag(Pipe from, Pipe to, int id, const char* call) {
  running(call);
  check_flag(from, to, id, call);
  pipes().wait_flag(from, to, id);
}

void pipe_barrier(Pipe pipe) {
  running("PipeBarrier");
  pipes().complete(pipe);
}

void sync_all() {
  running("SyncAll");
  sync_all_blocks();
}

void* ub_address(uint64_t offset) {
  running("cast to a unified-buffer pointer");
  return pipes().ub() + offset;
}

bool is_ub(const void* address) { return in_ub_arena(address); }

void require_device_memory(const void* address, uint64_t bytes, const char* what, const char* call) {
  if (bytes == 0) {
    return;
  }
  if (in_ub_arena(address)) {
    require_ub(pipes(), address, bytes, what, call);
    return;
  }
  const std::optional<Region> region = find_region(address);
  if (!region || region->kind == MemoryKind::kHost) {
    fail("not-device-memory", fmt::format("{}: the {} {} is {}", call, what, address,
                                          region ? "pinned host memory" : "no device memory that is allocated")
                                  .c_str());
  }
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte*>(address) - static_cast<std::byte*>(region->base));
  if (bytes > region->bytes - offset) {
    fail("out-of-range", fmt::format("{}: the {} covers {} bytes at offset {} of an allocation of {} bytes", call, what,
                                     bytes, offset, region->bytes)
                             .c_str());
  }
}

void issue_copy(Pipe pipe, const Copy& copy, const char* call) {
  running(call);
  require_device_memory(copy.destination, extent(copy.rows, copy.row_bytes, copy.destination_stride), "destination", call);
  require_device_memory(copy.source, extent(copy.rows, copy.row_bytes, copy.source_stride), "source", call);
  pipes().issue(pipe, copy);
}

namespace {

// Everything at once, eagerly: the destination first, then what the last chunks leave in the buffer.
void copy_through_ub_now(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t chunk) {
  transfer(destination, source, bytes);
  const uint64_t tail = bytes % chunk == 0 ? chunk : bytes % chunk;
  const auto* from = static_cast<const std::byte*>(source);
  if (bytes > chunk && tail < chunk) {
    std::memcpy(ub, from + bytes - tail - chunk, chunk);
  }
  std::memcpy(ub, from + bytes - std::min(tail, bytes), std::min(tail, bytes));
}

}  // namespace

void copy_through_ub(void* destination,
                     const void* source,
                     uint64_t bytes,
                     void* ub,
                     uint64_t ub_bytes,
                     int event,
                     const char* call) {
  running(call);
  check_flag(Pipe::kMte2, Pipe::kMte3, event, call);
  if (ub_bytes == 0) {
    fail("unified-buffer-overflow", fmt::format("{}: a buffer smaller than one element", call).c_str());
  }
  require_ub(pipes(), ub, std::min(bytes, ub_bytes), "buffer", call);
  require_device_memory(destination, bytes, "destination", call);
  require_device_memory(source, bytes, "source", call);
  if (bytes == 0) {
    return;
  }
  if (!adversarial()) {
    copy_through_ub_now(destination, source, bytes, ub, ub_bytes);
    return;
  }
  BlockPipes& own = pipes();
  for (uint64_t at = 0; at < bytes; at += ub_bytes) {
    const uint64_t count = std::min(ub_bytes, bytes - at);
    own.issue(Pipe::kMte2, {ub, static_cast<const std::byte*>(source) + at, 1, count, 0, 0});
    own.set_flag(Pipe::kMte2, Pipe::kMte3, event);
    own.wait_flag(Pipe::kMte2, Pipe::kMte3, event);
    own.issue(Pipe::kMte3, {static_cast<std::byte*>(destination) + at, ub, 1, count, 0, 0});
    if (at + count < bytes) {
      own.set_flag(Pipe::kMte3, Pipe::kMte2, event);
      own.wait_flag(Pipe::kMte3, Pipe::kMte2, event);
    }
  }
}

void fail(const char* rule, const char* text) {
  report({rule, text});
  fail_kernel(failed(kKernelException, std::string(rule) + ": " + text));
}

void at(const char* call, const char* file, int line) {
  Block& block = running(call);
  block.line = {file, line};
}

void* allocate_ub(uint64_t bytes) {
  running("TPipe::InitBuffer");
  BlockPipes& own = pipes();
  const uint64_t rounded = (bytes + 31) / 32 * 32;
  if (rounded > kUbBytes - own.ub_taken) {
    fail("unified-buffer-overflow", fmt::format("TPipe::InitBuffer: {} bytes asked for, {} of {} are left", bytes,
                                                kUbBytes - own.ub_taken, kUbBytes)
                                        .c_str());
  }
  void* result = own.ub() + own.ub_taken;
  own.ub_taken += rounded;
  return result;
}

void reset_ub() { pipes().ub_taken = 0; }

}  // namespace shmem_sim::ascendc
