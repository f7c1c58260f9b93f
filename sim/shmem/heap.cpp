#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "sim/core/block.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"
#include "sim/shmem/device.h"
#include "sim/shmem/state.h"

// Symmetric allocation. Each call is collective; which calls meet at a barrier although they fail:
// public behaviour.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::shmem;  // NOLINT(google-build-using-namespace)

namespace {

// What a PE says at a collective allocation, compared on all PEs.
struct Announcement {
  int64_t number;
  uint64_t kind;
  uint64_t bytes;
};

// The barrier of an allocation. A PE that asks for something else than the others breaks the
// symmetry of all later addresses; hardware would compute garbage, here it is said.
bool meet(uint64_t kind, uint64_t bytes, const char* call) {
  const Announcement mine{state()->collective_calls++, kind, bytes};
  std::vector<Announcement> all(static_cast<size_t>(job_pe_count()));
  const Status status = job_all_gather(&mine, sizeof mine, all.data());
  if (!status.ok()) {
    complain(call, ACLSHMEM_SMEM_ERROR, status.message);
    return false;
  }
  for (size_t pe = 0; pe < all.size(); ++pe) {
    if (std::memcmp(&all[pe], &mine, sizeof mine) != 0) {
      report({"asymmetric-allocation",
              fmt::format("{}: collective call {} asks for {} bytes here and is call {} for {} "
                          "bytes on PE {}; sizes and "
                          "order must be equal on all PEs",
                          call,
                          mine.number,
                          mine.bytes,
                          all[pe].number,
                          all[pe].bytes,
                          pe)});
      break;
    }
  }
  return true;
}

enum AllocationKind : uint64_t { kAllocate = 1, kFree = 2 };

void* allocate(uint64_t bytes, uint64_t alignment, bool zero, const char* call) {
  const std::optional<uint64_t> offset = state()->allocator->allocate(bytes, alignment);
  if (!offset) {
    complain(call,
             ACLSHMEM_MALLOC_FAILED,
             fmt::format("{} bytes: {} of {} heap bytes are in use",
                         bytes,
                         state()->allocator->bytes_in_use(),
                         heap_bytes()));
  } else if (zero) {
    std::memset(heap_base(job_pe()) + *offset,
                0,
                bytes);  // before the barrier: zero everywhere when it returns
  }
  const bool met = meet(kAllocate, bytes, call);
  if (!offset || !met) {
    if (offset) {
      state()->allocator->release(*offset);
    }
    return nullptr;
  }
  return heap_base(job_pe()) + *offset;
}

}  // namespace

void shmem_sim::shmem::report_unfreed_blocks() {
  const HeapAllocator& heap = *state()->allocator;
  constexpr size_t kOwn = 1;  // the signal area
  if (heap.live_blocks() <= kOwn) {
    return;
  }
  report({"unfreed-blocks",
          fmt::format("aclshmem_finalize: {} blocks of the symmetric heap, {} bytes, are still "
                      "allocated; free them before, in the same order on all PEs",
                      heap.live_blocks() - kOwn,
                      heap.bytes_in_use() - heap.size_of(state()->signal_area))});
}

extern "C" {

void* aclshmem_malloc(size_t bytes) {
  return require_initialised(__func__) ? allocate(bytes, 16, false, __func__) : nullptr;
}

void* aclshmem_calloc(size_t count, size_t bytes) {
  size_t total = 0;
  if (!require_initialised(__func__) || __builtin_mul_overflow(count, bytes, &total) ||
      total == 0) {
    return nullptr;
  }
  return allocate(total, 16, true, __func__);
}

void* aclshmem_align(size_t alignment, size_t bytes) {
  if (!require_initialised(__func__)) {
    return nullptr;
  }
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    complain(__func__,
             ACLSHMEM_INVALID_PARAM,
             fmt::format("alignment {} is not a power of two", alignment));
    return nullptr;
  }
  return allocate(bytes, alignment, false, __func__);
}

void aclshmem_free(void* pointer) {
  if (pointer == nullptr || !require_initialised(__func__)) {
    return;
  }
  const SymmetricPlace place = symmetric_place(pointer);
  meet(kFree, place.pe < 0 ? 0 : state()->allocator->size_of(place.offset), __func__);
  if (place.pe != job_pe() || !state()->allocator->release(place.offset)) {
    complain(__func__,
             ACLSHMEM_INVALID_PARAM,
             fmt::format("{} is not the start of a live symmetric block; the heap is unchanged",
                         pointer));
  }
}

void* aclshmem_ptr(void* pointer, int pe) {
  if (current_block() != nullptr) {
    return device::remote(pointer, pe, __func__);
  }
  const SymmetricPlace place = symmetric_place(pointer);
  if (place.pe != job_pe() || pe < 0 || pe >= job_pe_count()) {
    return nullptr;
  }
  return heap_base(pe) + place.offset;
}

}  // extern "C"
