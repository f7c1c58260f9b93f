#include "sim/shmem/device.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "sim/core/block.h"
#include "sim/core/job.h"
#include "sim/core/transport.h"

namespace shmem_sim::shmem::device {
namespace {

using ascendc::fail;
using ascendc::Pipe;

// The window of transfers that name none. One for all blocks, as in the public library: two such
// transfers in flight, or one and a user of the same unified buffer, disturb each other. Start
// values: the public library's.
struct SharedWindow {
  std::atomic<uint64_t> offset{0};
  std::atomic<uint32_t> bytes{16 << 10};
  std::atomic<uint32_t> event{0};
};

SharedWindow g_window;

Window shared_window() {
  return {ascendc::ub_address(g_window.offset), g_window.bytes, static_cast<int>(g_window.event)};
}

Site named(const Site& site) {
  ascendc::enter(site);
  return site;
}

}  // namespace

void* remote(const void* address, int pe, const Site& site) {
  auto* pointer = const_cast<void*>(address);
  if (pe < 0 || pe >= job_pe_count()) {
    fail("bad-pe", fmt::format("{}: PE {}: 0 to {} exist", site.call, pe, job_pe_count() - 1));
  }
  const SymmetricPlace place = symmetric_place(address);
  if (place.pe < 0 && pe == job_pe()) {
    return pointer;  // to oneself, any memory will do
  }
  if (place.pe != job_pe()) {
    const std::string what =
        place.pe < 0 ? fmt::format("not symmetric memory, so PE {} has no such place", pe)
                     : fmt::format("an address of PE {}: give the own one, the call translates it",
                                   place.pe);
    fail("not-symmetric", fmt::format("{}: {} is {}", site.call, address, what));
  }
  return heap_base(pe) + place.offset;
}

void enter_shared(const char* call) {
  const Block* block = current_block();
  if (block != nullptr && block->last_call != call) {
    ascendc::enter(call);
  }
}

void enter_if_kernel(const Site& site) {
  if (current_block() != nullptr) {
    ascendc::enter(site);
  }
}

void put(void* destination,
         const void* source,
         uint64_t bytes,
         const Window& window,
         int pe,
         const Site& site) {
  ascendc::copy_through_ub(remote(destination, pe, named(site)), source, bytes, window, site);
}

void get(void* destination,
         const void* source,
         uint64_t bytes,
         const Window& window,
         int pe,
         const Site& site) {
  ascendc::copy_through_ub(destination, remote(source, pe, named(site)), bytes, window, site);
}

namespace {

void copy_rows(void* destination,
               const void* source,
               const Rows& rows,
               const Window& window,
               const Site& site) {
  const uint64_t padded =
      (rows.bytes + ascendc::kUbBlockBytes - 1) / ascendc::kUbBlockBytes * ascendc::kUbBlockBytes;
  if (rows.count == 0 || rows.bytes == 0) {
    return;
  }
  if (rows.count > window.bytes / padded) {
    fail("unified-buffer-overflow",
         fmt::format("{}: {} rows of {} bytes do not fit a buffer of {} bytes",
                     site.call,
                     rows.count,
                     padded,
                     window.bytes));
  }
  ascendc::issue_copy(
      Pipe::kMte2, {window.ub, source, rows.count, rows.bytes, padded, rows.source_stride}, site);
  ascendc::set_flag(Pipe::kMte2, Pipe::kMte3, window.event, site);
  ascendc::wait_flag(Pipe::kMte2, Pipe::kMte3, window.event, site);
  ascendc::issue_copy(
      Pipe::kMte3,
      {destination, window.ub, rows.count, rows.bytes, rows.destination_stride, padded},
      site);
}

}  // namespace

void put_rows(void* destination,
              const void* source,
              const Rows& rows,
              const Window& window,
              int pe,
              const Site& site) {
  copy_rows(remote(destination, pe, named(site)), source, rows, window, site);
}

void get_rows(void* destination,
              const void* source,
              const Rows& rows,
              const Window& window,
              int pe,
              const Site& site) {
  copy_rows(destination, remote(source, pe, named(site)), rows, window, site);
}

void put_rows_direct(
    void* destination, const void* source, const Rows& rows, int pe, const Site& site) {
  void* far = remote(destination, pe, named(site));
  if (ascendc::is_ub(source)) {
    ascendc::issue_copy(
        Pipe::kMte3,
        {far, source, rows.count, rows.bytes, rows.destination_stride, rows.source_stride},
        site);
  } else {
    copy_rows(far, source, rows, shared_window(), site);
  }
}

void get_rows_direct(
    void* destination, const void* source, const Rows& rows, int pe, const Site& site) {
  const void* far = remote(source, pe, named(site));
  if (ascendc::is_ub(destination)) {
    ascendc::issue_copy(
        Pipe::kMte2,
        {destination, far, rows.count, rows.bytes, rows.destination_stride, rows.source_stride},
        site);
  } else {
    copy_rows(destination, far, rows, shared_window(), site);
  }
}

void put_direct(void* destination, const void* source, uint64_t bytes, int pe, const Site& site) {
  if (ascendc::is_ub(source)) {
    put_rows_direct(destination, source, {1, bytes, bytes, bytes}, pe, site);
  } else {
    put(destination, source, bytes, shared_window(), pe, site);
  }
}

void get_direct(void* destination, const void* source, uint64_t bytes, int pe, const Site& site) {
  if (ascendc::is_ub(destination)) {
    get_rows_direct(destination, source, {1, bytes, bytes, bytes}, pe, site);
  } else {
    get(destination, source, bytes, shared_window(), pe, site);
  }
}

void put_word(void* destination, uint64_t bits, size_t bytes, int pe, const Site& site) {
  ascendc::store_scalar(remote(destination, pe, named(site)), bits, bytes, site);
}

uint64_t get_word(const void* source, size_t bytes, int pe, const Site& site) {
  return ascendc::load_scalar(remote(source, pe, site), bytes, site);
}

void signal(int32_t* word, int32_t value, int operation, int pe, const Site& site) {
  void* target = remote(word, pe, named(site));
  if (operation == ACLSHMEM_SIGNAL_SET) {
    ascendc::store_scalar(target, static_cast<uint32_t>(value), sizeof value, site);
  } else if (operation == ACLSHMEM_SIGNAL_ADD) {
    add(word, static_cast<uint32_t>(value), sizeof value, pe, site);
  } else {
    fail(
        "bad-signal-operation",
        fmt::format("{}: operation {}: ACLSHMEM_SIGNAL_SET (0) or _ADD (1)", site.call, operation));
  }
  if (adversarial()) {
    yield();  // whoever waits for it gets the chance to be quicker than our own next step
  }
}

void add(void* word, uint64_t value, size_t bytes, int pe, const Site& site) {
  void* target = remote(word, pe, named(site));
  ascendc::require_device_memory(target, bytes, "word", site);
  ascendc::pipe_barrier(Pipe::kAll, site);
  fetch_add_word(target, value, bytes);
}

void quiet(const Site& site) {
  ascendc::pipe_barrier(Pipe::kAll, site);
}

}  // namespace shmem_sim::shmem::device

extern "C" int aclshmemx_set_mte_config(uint64_t offset, uint32_t ub_size, uint32_t sync_id) {
  using shmem_sim::shmem::device::g_window;
  g_window.offset = offset;
  g_window.bytes = ub_size;
  g_window.event = sync_id;
  return ACLSHMEM_SUCCESS;
}
