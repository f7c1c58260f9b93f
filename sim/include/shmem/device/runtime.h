#pragma once

// What the device API is built on: functions of libshmem that act for the running block. Sizes and
// strides in bytes. An address that is not symmetric, a PE that does not exist or a range outside
// its allocation is a finding and ends the kernel.

#include "host/shmem_host_api.h"
#include "kernel_operator.h"

namespace shmem_sim::shmem::device {

using ascendc::Here;
using ascendc::Site;
using ascendc::Window;

struct Rows {
  uint64_t count;
  uint64_t bytes;
  uint64_t source_stride;
  uint64_t destination_stride;
};

// Copies between local memory and the same place on `pe`, through a window. Return when issued.
void put(void* destination,
         const void* source,
         uint64_t bytes,
         const Window& window,
         int pe,
         const Site& site);
void get(void* destination,
         const void* source,
         uint64_t bytes,
         const Window& window,
         int pe,
         const Site& site);

// Rows in one shot: all of them, each rounded up to 32 bytes, must fit the window.
void put_rows(void* destination,
              const void* source,
              const Rows& rows,
              const Window& window,
              int pe,
              const Site& site);
void get_rows(void* destination,
              const void* source,
              const Rows& rows,
              const Window& window,
              int pe,
              const Site& site);

// Without a window: when the local side is unified buffer, one transfer on MTE3 or MTE2; otherwise
// through the window that aclshmemx_set_mte_config names.
void put_direct(void* destination, const void* source, uint64_t bytes, int pe, const Site& site);
void get_direct(void* destination, const void* source, uint64_t bytes, int pe, const Site& site);
void put_rows_direct(
    void* destination, const void* source, const Rows& rows, int pe, const Site& site);
void get_rows_direct(
    void* destination, const void* source, const Rows& rows, int pe, const Site& site);

// Scalar accesses: complete on return, not ordered with what is in flight.
void put_word(void* destination, uint64_t bits, size_t bytes, int pe, const Site& site);
uint64_t get_word(const void* source, size_t bytes, int pe, const Site& site);

// ACLSHMEM_SIGNAL_SET: a scalar store, which may overtake transfers in flight. ADD: behind
// everything issued before.
void signal(int32_t* word, int32_t value, int operation, int pe, const Site& site);

// Adds to an integer of 1, 2, 4 or 8 bytes, atomically with respect to other adds, behind
// everything issued before.
void add(void* word, uint64_t value, size_t bytes, int pe, const Site& site);

// Completes what this block has issued.
void quiet(const Site& site);

// Waits for all blocks of all PEs of the team. Completes no transfer.
void barrier(aclshmem_team_t team, const Site& site);

// Several words of local memory and what they are compared with.
struct Words {
  const void* first;
  size_t count;
  size_t bytes;       // of one word
  const int* masked;  // may be null; not 0: the word does not take part
  const void* value;
  size_t value_stride;  // 0: all are compared with the same value
  bool (*holds)(int comparison, const void* word, const void* value);
  int comparison;
};

// Index of a word that holds; SIZE_MAX when no word takes part (and, test: when none holds).
size_t wait_any(const Words& words, const Site& site);
size_t test_any(const Words& words, const Site& site);
// Number of words that hold, at least one unless no word takes part; their indices.
size_t wait_some(const Words& words, size_t* indices, const Site& site);
size_t test_some(const Words& words, size_t* indices, const Site& site);
void wait_all(const Words& words, const Site& site);
bool test_all(const Words& words, const Site& site);

// For names that host and device share: says where the program is, when it is a kernel.
void enter_if_kernel(const Site& site);

}  // namespace shmem_sim::shmem::device
