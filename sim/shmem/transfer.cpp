#include <fmt/format.h>

#include <cstring>
#include <string>

#include "sim/core/block.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"
#include "sim/core/memory.h"
#include "sim/core/transport.h"
#include "sim/core/wait.h"
#include "sim/shmem/device.h"
#include "sim/shmem/state.h"

// Remote memory access, signals and barriers. On a host thread: enqueued on a stream, as a
// one-block kernel of the public library would be. In a block: the device function.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::shmem;  // NOLINT(google-build-using-namespace)

namespace {

bool in_block() {
  return current_block() != nullptr;
}

// Where `address` of the own heap lies on `pe`, or a failed status.
Status translate(const void* address, int pe, const char* call, void*& result) {
  const SymmetricPlace place = symmetric_place(address);
  if (pe < 0 || pe >= job_pe_count() || place.pe != job_pe()) {
    const std::string text =
        fmt::format("{}: {} is not an own symmetric address, or PE {} is not one of {}",
                    call,
                    address,
                    pe,
                    job_pe_count());
    report({"not-symmetric", text});
    return failed(kKernelException, text);
  }
  result = heap_base(pe) + place.offset;
  return {};
}

enum class Direction { kPut, kGet };

struct Strides {
  uint64_t count;
  uint64_t bytes;
  ptrdiff_t destination;  // bytes
  ptrdiff_t source;
};

void enqueue_transfer(Stream* stream,
                      Direction direction,
                      void* destination,
                      void* source,
                      const Strides& strides,
                      int pe,
                      const char* call) {
  enqueue(stream, call, [=] {
    void* far = nullptr;
    const void* own_side = direction == Direction::kPut ? destination : source;
    if (Status status = translate(own_side, pe, call, far); !status.ok()) {
      return status;
    }
    auto* to = static_cast<std::byte*>(direction == Direction::kPut ? far : destination);
    const auto* from = static_cast<const std::byte*>(direction == Direction::kPut ? source : far);
    for (uint64_t i = 0; i < strides.count; ++i) {
      transfer(to + static_cast<ptrdiff_t>(i) * strides.destination,
               from + static_cast<ptrdiff_t>(i) * strides.source,
               strides.bytes);
    }
    return Status{};
  });
}

void move(Direction direction,
          void* destination,
          void* source,
          uint64_t bytes,
          int pe,
          bool complete,
          const char* call) {
  if (in_block()) {
    if (direction == Direction::kPut) {
      device::put_direct(destination, source, bytes, pe, call);
    } else {
      device::get_direct(destination, source, bytes, pe, call);
    }
    if (complete) {
      device::quiet(call);
    }
  } else if (require_initialised(call)) {
    const auto step = static_cast<ptrdiff_t>(bytes);
    enqueue_transfer(
        state()->default_stream, direction, destination, source, {1, bytes, step, step}, pe, call);
  }
}

void move_strided(Direction direction,
                  void* destination,
                  void* source,
                  const Strides& strides,
                  int pe,
                  const char* call) {
  if (!in_block()) {
    if (require_initialised(call)) {
      enqueue_transfer(state()->default_stream, direction, destination, source, strides, pe, call);
    }
    return;
  }
  for (uint64_t i = 0; i < strides.count; ++i) {
    auto* to =
        static_cast<std::byte*>(destination) + static_cast<ptrdiff_t>(i) * strides.destination;
    auto* from = static_cast<std::byte*>(source) + static_cast<ptrdiff_t>(i) * strides.source;
    if (direction == Direction::kPut) {
      device::put_direct(to, from, strides.bytes, pe, call);
    } else {
      device::get_direct(to, from, strides.bytes, pe, call);
    }
    device::quiet(call);
  }
}

template <class T>
uint64_t word_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T word_value(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
void put_one(T* destination, T value, int pe, const char* call) {
  if (in_block()) {
    device::put_word(destination, word_bits(value), sizeof value, pe, call);
  } else if (require_initialised(call)) {
    enqueue(state()->default_stream, call, [=] {
      void* far = nullptr;
      Status status = translate(destination, pe, call, far);
      if (status.ok()) {
        store_word(far, word_bits(value), sizeof value);
      }
      return status;
    });
  }
}

// On the host the only call that blocks.
template <class T>
T get_one(T* source, int pe, const char* call) {
  if (in_block()) {
    return word_value<T>(device::get_word(source, sizeof(T), pe, call));
  }
  void* far = nullptr;
  if (!require_initialised(call) || !settle_default_stream().ok() ||
      !translate(source, pe, call, far).ok()) {
    return T{};
  }
  return word_value<T>(load_word(far, sizeof(T)));
}

template <class T>
struct WaitFor {
  const T* word;
  int comparison;
  T value;

  bool operator()() const {
    return compare(comparison, word_value<T>(load_word(word, sizeof(T))), value);
  }
};

constexpr const char* kComparisons[] = {"EQ", "NE", "GT", "GE", "LT", "LE"};

template <class T>
std::string describe(const void* context) {
  const auto& wait = *static_cast<const WaitFor<T>*>(context);
  return fmt::format("value {}, waits for {} {}",
                     word_value<T>(load_word(wait.word, sizeof(T))),
                     kComparisons[wait.comparison],
                     wait.value);
}

// Returns the value that ended the wait. Comparisons outside 0..5 return at once, as the public
// functions do.
template <class T>
T wait_word(T* word, int comparison, T value, const char* call) {
  const WaitFor<T> wait{word, comparison, value};
  if (in_block()) {
    device::enter_shared(call);
    ascendc::require_device_memory(word, sizeof(T), "word", call);
  }
  if (comparison >= ACLSHMEM_CMP_EQ && comparison <= ACLSHMEM_CMP_LE) {
    const WaitPlace place{call, word, &describe<T>, &wait};
    const WaitResult result = wait_until(place, Ready(wait));
    if (result != WaitResult::kReady) {
      complain(call, ACLSHMEM_TIMEOUT_ERROR, "the wait did not end: " + describe<T>(&wait));
    }
  }
  return word_value<T>(load_word(word, sizeof(T)));
}

void signal_now(void* word, int32_t value, int operation) {
  if (operation == ACLSHMEM_SIGNAL_ADD) {
    fetch_add_word(word, static_cast<uint32_t>(value), sizeof value);
  } else {
    store_word(word, static_cast<uint32_t>(value), sizeof value);
  }
}

void enqueue_signal(
    Stream* stream, void* word, int32_t value, int operation, int pe, const char* call) {
  enqueue(stream, call, [=] {
    void* far = nullptr;
    Status status = translate(word, pe, call, far);
    if (operation != ACLSHMEM_SIGNAL_SET && operation != ACLSHMEM_SIGNAL_ADD) {
      const std::string text =
          fmt::format("{}: operation {}: ACLSHMEM_SIGNAL_SET (0) or _ADD (1)", call, operation);
      report({"bad-signal-operation", text});
      return failed(kKernelException, text);
    }
    if (status.ok()) {
      signal_now(far, value, operation);
    }
    return status;
  });
}

void host_barrier(const char* call) {
  if (!require_initialised(call)) {
    return;
  }
  Status status = settle_default_stream();
  if (status.ok()) {
    status = job_barrier();
  }
  if (!status.ok()) {
    complain(call, ACLSHMEM_SMEM_ERROR, status.message);
  }
}

void barrier_somewhere(aclshmem_team_t team, const char* call) {
  if (team == ACLSHMEM_TEAM_INVALID) {
    return;
  }
  if (in_block()) {
    device::enter_shared(call);
    device::barrier(team, {call, current_block()->line.file, current_block()->line.line});
  } else if (team == ACLSHMEM_TEAM_WORLD) {
    host_barrier(call);
  } else {
    const std::string text = fmt::format("team {}: only ACLSHMEM_TEAM_WORLD is modelled", team);
    report({"unmodelled-call", fmt::format("{}: {}", call, text)});
    complain(call, ACLSHMEM_NOT_SUPPORTED, text);
  }
}

// A device barrier of one block per PE, in stream order. A team that is not modelled fails there.
void enqueue_barrier(aclshmem_team_t team, aclrtStream handle, const char* call) {
  Stream* queue = stream_or_default(handle, call);
  if (queue == nullptr || team == ACLSHMEM_TEAM_INVALID) {
    return;
  }
  enqueue_kernel({call, "libshmem", 0}, 1, queue, [team, call] { device::barrier(team, call); });
}

}  // namespace

extern "C" {

void aclshmem_putmem(void* destination, void* source, size_t bytes, int32_t pe) {
  move(Direction::kPut, destination, source, bytes, pe, true, __func__);
}
void aclshmem_getmem(void* destination, void* source, size_t bytes, int32_t pe) {
  move(Direction::kGet, destination, source, bytes, pe, true, __func__);
}
void aclshmem_putmem_nbi(void* destination, void* source, size_t bytes, int32_t pe) {
  move(Direction::kPut, destination, source, bytes, pe, false, __func__);
}
void aclshmem_getmem_nbi(void* destination, void* source, size_t bytes, int32_t pe) {
  move(Direction::kGet, destination, source, bytes, pe, false, __func__);
}

void aclshmemx_putmem_on_stream(
    void* destination, void* source, size_t bytes, int32_t pe, aclrtStream stream) {
  if (Stream* queue = stream_or_default(stream, __func__)) {
    enqueue_transfer(queue, Direction::kPut, destination, source, {1, bytes, 0, 0}, pe, __func__);
  }
}
void aclshmemx_getmem_on_stream(
    void* destination, void* source, size_t bytes, int32_t pe, aclrtStream stream) {
  if (Stream* queue = stream_or_default(stream, __func__)) {
    enqueue_transfer(queue, Direction::kGet, destination, source, {1, bytes, 0, 0}, pe, __func__);
  }
}

#define DEFINE_RMA(NAME, TYPE)                                                                \
  void aclshmem_##NAME##_put(TYPE* destination, TYPE* source, size_t elements, int pe) {      \
    move(Direction::kPut, destination, source, elements * sizeof(TYPE), pe, true, __func__);  \
  }                                                                                           \
  void aclshmem_##NAME##_get(TYPE* destination, TYPE* source, size_t elements, int pe) {      \
    move(Direction::kGet, destination, source, elements * sizeof(TYPE), pe, true, __func__);  \
  }                                                                                           \
  void aclshmem_##NAME##_put_nbi(TYPE* destination, TYPE* source, size_t elements, int pe) {  \
    move(Direction::kPut, destination, source, elements * sizeof(TYPE), pe, false, __func__); \
  }                                                                                           \
  void aclshmem_##NAME##_get_nbi(TYPE* destination, TYPE* source, size_t elements, int pe) {  \
    move(Direction::kGet, destination, source, elements * sizeof(TYPE), pe, false, __func__); \
  }                                                                                           \
  void aclshmem_##NAME##_iput(TYPE* destination,                                              \
                              TYPE* source,                                                   \
                              ptrdiff_t destination_stride,                                   \
                              ptrdiff_t source_stride,                                        \
                              size_t elements,                                                \
                              int pe) {                                                       \
    constexpr auto size = static_cast<ptrdiff_t>(sizeof(TYPE));                               \
    move_strided(Direction::kPut,                                                             \
                 destination,                                                                 \
                 source,                                                                      \
                 {elements, sizeof(TYPE), destination_stride * size, source_stride * size},   \
                 pe,                                                                          \
                 __func__);                                                                   \
  }                                                                                           \
  void aclshmem_##NAME##_iget(TYPE* destination,                                              \
                              TYPE* source,                                                   \
                              ptrdiff_t destination_stride,                                   \
                              ptrdiff_t source_stride,                                        \
                              size_t elements,                                                \
                              int pe) {                                                       \
    constexpr auto size = static_cast<ptrdiff_t>(sizeof(TYPE));                               \
    move_strided(Direction::kGet,                                                             \
                 destination,                                                                 \
                 source,                                                                      \
                 {elements, sizeof(TYPE), destination_stride * size, source_stride * size},   \
                 pe,                                                                          \
                 __func__);                                                                   \
  }                                                                                           \
  void aclshmem_##NAME##_p(TYPE* destination, const TYPE value, int pe) {                     \
    put_one<TYPE>(destination, value, pe, __func__);                                          \
  }                                                                                           \
  TYPE aclshmem_##NAME##_g(TYPE* source, int32_t pe) {                                        \
    return get_one<TYPE>(source, pe, __func__);                                               \
  }                                                                                           \
  static_assert(sizeof(TYPE) > 0)
ACLSHMEM_RMA_TYPE_FUNC(DEFINE_RMA);

#define DEFINE_SIZED(BITS)                                                                        \
  void aclshmem_put##BITS(void* destination, void* source, uint32_t elements, int32_t pe) {       \
    move(Direction::kPut,                                                                         \
         destination,                                                                             \
         source,                                                                                  \
         uint64_t{elements} * (BITS / 8),                                                         \
         pe,                                                                                      \
         true,                                                                                    \
         __func__);                                                                               \
  }                                                                                               \
  void aclshmem_get##BITS(void* destination, void* source, uint32_t elements, int32_t pe) {       \
    move(Direction::kGet,                                                                         \
         destination,                                                                             \
         source,                                                                                  \
         uint64_t{elements} * (BITS / 8),                                                         \
         pe,                                                                                      \
         true,                                                                                    \
         __func__);                                                                               \
  }                                                                                               \
  void aclshmem_put##BITS##_nbi(void* destination, void* source, uint32_t elements, int32_t pe) { \
    move(Direction::kPut,                                                                         \
         destination,                                                                             \
         source,                                                                                  \
         uint64_t{elements} * (BITS / 8),                                                         \
         pe,                                                                                      \
         false,                                                                                   \
         __func__);                                                                               \
  }                                                                                               \
  void aclshmem_get##BITS##_nbi(void* destination, void* source, uint32_t elements, int32_t pe) { \
    move(Direction::kGet,                                                                         \
         destination,                                                                             \
         source,                                                                                  \
         uint64_t{elements} * (BITS / 8),                                                         \
         pe,                                                                                      \
         false,                                                                                   \
         __func__);                                                                               \
  }                                                                                               \
  static_assert(BITS > 0)
ACLSHMEM_SIZE_FUNC(DEFINE_SIZED);

void aclshmemx_putmem_signal(void* destination,
                             void* source,
                             size_t bytes,
                             void* signal,
                             int32_t value,
                             int operation,
                             int pe) {
  move(Direction::kPut, destination, source, bytes, pe, true, __func__);
  if (in_block()) {
    device::signal(static_cast<int32_t*>(signal), value, operation, pe, __func__);
  } else if (state() != nullptr) {
    enqueue_signal(state()->default_stream, signal, value, operation, pe, __func__);
  }
}

void aclshmemx_putmem_signal_nbi(void* destination,
                                 void* source,
                                 size_t bytes,
                                 void* signal,
                                 int32_t value,
                                 int operation,
                                 int pe) {
  aclshmemx_putmem_signal(destination, source, bytes, signal, value, operation, pe);
}

void aclshmemx_signal_op_on_stream(
    int32_t* signal, int32_t value, int operation, int pe, aclrtStream stream) {
  if (Stream* queue = stream_or_default(stream, __func__)) {
    enqueue_signal(queue, signal, value, operation, pe, __func__);
  }
}

int32_t aclshmem_signal_wait_until(int32_t* signal, int comparison, int32_t value) {
  return wait_word(signal, comparison, value, __func__);
}

void aclshmemx_signal_wait_until_on_stream(int32_t* signal,
                                           int comparison,
                                           int32_t value,
                                           aclrtStream stream) {
  const char* call = __func__;
  if (Stream* queue = stream_or_default(stream, call)) {
    enqueue_kernel(
        {call, "libshmem", 0}, 1, queue, [=] { wait_word(signal, comparison, value, call); });
  }
}

#define DEFINE_WAIT(NAME, TYPE)                                                   \
  void aclshmem_##NAME##_wait_until(TYPE* word, int comparison, TYPE value) {     \
    wait_word(word, comparison, value, __func__);                                 \
  }                                                                               \
  void aclshmem_##NAME##_wait(TYPE* word, TYPE value) {                           \
    wait_word(word, static_cast<int>(ACLSHMEM_CMP_NE), value, __func__);          \
  }                                                                               \
  void aclshmem_##NAME##_wait_until_all(                                          \
      TYPE* words, size_t count, const int* status, int comparison, TYPE value) { \
    for (size_t i = 0; i < count; ++i) {                                          \
      if (status == nullptr || status[i] == 0) {                                  \
        wait_word(words + i, comparison, value, __func__);                        \
      }                                                                           \
    }                                                                             \
  }                                                                               \
  static_assert(sizeof(TYPE) > 0)
ACLSHMEM_P2P_SYNC_TYPE_FUNC(DEFINE_WAIT);

void aclshmem_barrier(aclshmem_team_t team) {
  barrier_somewhere(team, __func__);
}
void aclshmem_barrier_all(void) {
  barrier_somewhere(ACLSHMEM_TEAM_WORLD, __func__);
}
void aclshmem_sync(aclshmem_team_t team) {
  barrier_somewhere(team, __func__);
}
void aclshmem_sync_all(void) {
  barrier_somewhere(ACLSHMEM_TEAM_WORLD, __func__);
}
void aclshmemx_barrier_on_stream(aclshmem_team_t team, aclrtStream stream) {
  enqueue_barrier(team, stream, __func__);
}
void aclshmemx_barrier_all_on_stream(aclrtStream stream) {
  enqueue_barrier(ACLSHMEM_TEAM_WORLD, stream, __func__);
}

// Tasks of a stream are complete when they are done: whatever was enqueued before is visible.
void aclshmemx_quiet_on_stream(aclrtStream stream) {
  if (Stream* queue = stream_or_default(stream, __func__)) {
    enqueue(queue, __func__, [] { return Status{}; });
  }
}

void aclshmemx_handle_wait(aclshmem_handle_t, aclrtStream stream) {
  aclshmemx_quiet_on_stream(stream);
}

}  // extern "C"
