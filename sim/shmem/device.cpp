#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sim/core/block.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"
#include "sim/core/wait.h"
#include "sim/include/cann/shmem_sim/runtime.h"
#include "sim/shmem/device.h"

namespace shmem_sim::shmem::device {
namespace {

using ascendc::fail;
using ascendc::Pipe;

// Configuration of the transfer window that calls without a buffer of their own share.
std::atomic<uint64_t> g_window_offset{0};
std::atomic<uint32_t> g_window_bytes{16 << 10};
std::atomic<uint32_t> g_window_event{0};

}  // namespace

void* remote(const void* address, int pe, const char* call) {
  auto* pointer = const_cast<void*>(address);
  if (pe < 0 || pe >= job_pe_count()) {
    fail("bad-pe", fmt::format("{}: PE {} of {}", call, pe, job_pe_count()).c_str());
  }
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0 && pe == job_pe()) {
    return pointer;  // to oneself, any memory will do
  }
  if (place.pe != job_pe()) {
    fail("not-symmetric", fmt::format("{}: {} is {}", call, address,
                                      place.pe < 0 ? "not symmetric memory, so PE " + std::to_string(pe) + " has no such place"
                                                   : "an address of PE " + std::to_string(place.pe) +
                                                         ": give the own one, the call translates it")
                              .c_str());
  }
  return heap_base(pe) + place.offset;
}

void put(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t ub_bytes, int pe, int event, const char* call) {
  ascendc::copy_through_ub(remote(destination, pe, call), source, bytes, ub, ub_bytes, event, call);
}

void get(void* destination, const void* source, uint64_t bytes, void* ub, uint64_t ub_bytes, int pe, int event, const char* call) {
  ascendc::copy_through_ub(destination, remote(source, pe, call), bytes, ub, ub_bytes, event, call);
}

namespace {

// One shot: all rows must fit the buffer, each rounded up to 32 bytes.
void copy_rows(void* destination, const void* source, const Rows& rows, void* ub, uint64_t ub_bytes, int event, const char* call) {
  const uint64_t padded = (rows.bytes + 31) / 32 * 32;
  if (rows.count * padded > ub_bytes) {
    fail("unified-buffer-overflow", fmt::format("{}: {} rows of {} bytes do not fit a buffer of {} bytes", call,
                                                rows.count, padded, ub_bytes)
                                        .c_str());
  }
  ascendc::issue_copy(Pipe::kMte2, {ub, source, rows.count, rows.bytes, padded, rows.source_stride}, call);
  ascendc::set_flag(Pipe::kMte2, Pipe::kMte3, event, call);
  ascendc::wait_flag(Pipe::kMte2, Pipe::kMte3, event, call);
  ascendc::issue_copy(Pipe::kMte3, {destination, ub, rows.count, rows.bytes, rows.destination_stride, padded}, call);
}

}  // namespace

void put_rows(void* destination, const void* source, const Rows& rows, void* ub, uint64_t ub_bytes, int pe, int event, const char* call) {
  copy_rows(remote(destination, pe, call), source, rows, ub, ub_bytes, event, call);
}

void get_rows(void* destination, const void* source, const Rows& rows, void* ub, uint64_t ub_bytes, int pe, int event, const char* call) {
  copy_rows(destination, remote(source, pe, call), rows, ub, ub_bytes, event, call);
}

void put_direct(void* destination, const void* source, uint64_t bytes, int pe, const char* call) {
  if (ascendc::is_ub(source)) {
    ascendc::issue_copy(Pipe::kMte3, {remote(destination, pe, call), source, 1, bytes, bytes, bytes}, call);
  } else {
    put(destination, source, bytes, ascendc::ub_address(g_window_offset), g_window_bytes, pe,
        static_cast<int>(g_window_event), call);
  }
}

void get_direct(void* destination, const void* source, uint64_t bytes, int pe, const char* call) {
  if (ascendc::is_ub(destination)) {
    ascendc::issue_copy(Pipe::kMte2, {destination, remote(source, pe, call), 1, bytes, bytes, bytes}, call);
  } else {
    get(destination, source, bytes, ascendc::ub_address(g_window_offset), g_window_bytes, pe,
        static_cast<int>(g_window_event), call);
  }
}

// SET is a scalar store: it does not wait for transfers in flight. ADD goes through MTE3 behind everything issued before.
void signal(int32_t* word, int32_t value, int operation, int pe) {
  current_block()->last_call = "aclshmemx_signal_op";
  auto* target = static_cast<int32_t*>(remote(word, pe, "aclshmemx_signal_op"));
  if (operation == ACLSHMEM_SIGNAL_SET) {
    store_word(target, static_cast<uint32_t>(value), sizeof value);
  } else if (operation == ACLSHMEM_SIGNAL_ADD) {
    ascendc::pipe_barrier(Pipe::kAll);
    fetch_add_word(target, static_cast<uint32_t>(value), sizeof value);
  } else {
    fail("bad-signal-operation", fmt::format("aclshmemx_signal_op: operation {}: SET (0) or ADD (1)", operation).c_str());
  }
  if (adversarial()) {
    yield();  // whoever waits for it gets the chance to be quicker than our own next step
  }
}

void quiet(const char* call) {
  ascendc::pipe_barrier(Pipe::kAll);
  current_block()->last_call = call;
}

namespace {

// In each PE's user control area: how many device barriers it has entered.
std::atomic<uint64_t>& barrier_count(int pe) { return *reinterpret_cast<std::atomic<uint64_t>*>(user_control(pe)); }

}  // namespace

// All blocks of all PEs. Block 0 of each PE announces and waits for the others; it does not complete transfers.
void barrier(const char* call) {
  current_block()->last_call = call;
  sync_all_blocks();
  if (current_block()->index == 0) {
    const uint64_t round = barrier_count(job_pe()).fetch_add(1) + 1;
    ring_all_doorbells();
    const auto everybody = [round] {
      for (int pe = 0; pe < job_pe_count(); ++pe) {
        if (barrier_count(pe).load(std::memory_order_acquire) < round) {
          return false;
        }
      }
      return true;
    };
    const WaitPlace place{call, nullptr, nullptr, nullptr};
    wait_until(place, Ready(everybody));
  }
  sync_all_blocks();
}

void set_window(uint64_t offset, uint32_t bytes, uint32_t event) {
  g_window_offset = offset;
  g_window_bytes = bytes;
  g_window_event = event;
}

}  // namespace shmem_sim::shmem::device
