// One PE of the C++ test: kv_shuffle PE PES tcp://host:port [calls]
// Moves patterned blocks of several sizes and types between pairs that change with every call, several calls in a row
// without a barrier, and compares every byte of both caches.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "kv_shuffle_kernel.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 64ull << 20;
constexpr size_t kStateBytes = 2 * 8 * 16 * 64 + 16 * 2 * 64 + static_cast<size_t>(16 * 2) * (64 << 10);
constexpr size_t kGuardBytes = 32;
constexpr uint8_t kGuard = 0xA5;

#define REQUIRE_OK(call)                                                      \
  do {                                                                        \
    const auto code = (call);                                                 \
    if (code != 0) {                                                          \
      std::fprintf(stderr, "%s failed with %d\n", #call, static_cast<int>(code)); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

struct Job {
  int pe;
  int pes;
  aclrtStream stream;
  uint8_t* state;
  int calls = 0;
};

struct Size {
  int64_t blocks;
  int64_t block_elements;
  int64_t moves;
  uint32_t block_dim;
};

// Tables of one call, of all PEs: a function of the call alone.
struct Tables {
  std::vector<int64_t> routes;                // [pes][2]
  std::vector<std::vector<int64_t>> sources;  // of each PE
  std::vector<std::vector<int64_t>> targets;
};

// Device memory with guard bytes behind it.
class Buffer {
 public:
  explicit Buffer(const std::vector<uint8_t>& bytes) : size_(bytes.size()) {
    std::vector<uint8_t> guarded = bytes;
    guarded.resize(size_ + kGuardBytes, kGuard);
    REQUIRE_OK(aclrtMalloc(&data_, guarded.size(), ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMemcpy(data_, guarded.size(), guarded.data(), guarded.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  explicit Buffer(const std::vector<int64_t>& numbers)
      : Buffer(std::vector<uint8_t>(reinterpret_cast<const uint8_t*>(numbers.data()),
                                    reinterpret_cast<const uint8_t*>(numbers.data() + numbers.size()))) {}
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ~Buffer() {
    if (data_ != nullptr) {
      aclrtFree(data_);
    }
  }
  uint8_t* data() const { return static_cast<uint8_t*>(data_); }
  // Its bytes; the guard, too.
  std::vector<uint8_t> read() const {
    std::vector<uint8_t> bytes(size_ + kGuardBytes);
    REQUIRE_OK(aclrtMemcpy(bytes.data(), bytes.size(), data_, bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    return bytes;
  }

 private:
  void* data_ = nullptr;
  size_t size_;
};

// Byte `at` of cache `cache` (0: K, 1: V) of PE `pe` before call `call`.
uint8_t Pattern(int pe, int call, int cache, size_t at) {
  uint64_t x = at * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(pe) * 0x100000001b3ull +
               static_cast<uint64_t>(call * 2 + cache) * 0xd6e8feb86659fd93ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return static_cast<uint8_t>(x >> 56);
}

std::vector<uint8_t> PatternBytes(int pe, int call, int cache, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t at = 0; at < bytes; ++at) {
    out[at] = Pattern(pe, call, cache, at);
  }
  return out;
}

std::vector<int64_t> Shuffled(int64_t count, std::mt19937_64& random) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[random() % i]);
  }
  return numbers;
}

// Pairs all PEs; every fifth move is left out, every third pair does not take part.
Tables MakeTables(int pes, int call, const Size& size) {
  std::mt19937_64 random(static_cast<uint64_t>(call) + 1);
  Tables tables;
  tables.routes.resize(static_cast<size_t>(pes) * 2);
  tables.sources.resize(static_cast<size_t>(pes), std::vector<int64_t>(static_cast<size_t>(size.moves), -7));
  tables.targets = tables.sources;
  const std::vector<int64_t> order = Shuffled(pes, random);
  for (size_t pair = 0; pair + 1 < order.size(); pair += 2) {
    const auto sender = static_cast<size_t>(order[pair]);
    const auto receiver = static_cast<size_t>(order[pair + 1]);
    const bool idle = random() % 3 == 0;
    tables.routes[sender * 2] = idle ? order[pair] : order[pair + 1];
    tables.routes[sender * 2 + 1] = 0;
    tables.routes[receiver * 2] = order[pair];
    tables.routes[receiver * 2 + 1] = 1;
    const std::vector<int64_t> free = Shuffled(size.blocks, random);
    for (size_t i = 0; i < static_cast<size_t>(size.moves); ++i) {
      const bool left_out = random() % 5 == 0;
      tables.sources[sender][i] = left_out ? -1 : static_cast<int64_t>(random() % static_cast<uint64_t>(size.blocks));
      tables.targets[receiver][i] = left_out ? size.blocks : free[i];
    }
  }
  return tables;
}

// What cache `cache` of PE `pe` must be after the call.
std::vector<uint8_t> Expected(int pe, int call, int cache, const Tables& tables, size_t bytes, size_t block_bytes) {
  std::vector<uint8_t> out = PatternBytes(pe, call, cache, bytes);
  const auto me = static_cast<size_t>(pe);
  const auto peer = static_cast<size_t>(tables.routes[me * 2]);
  const bool receives = tables.routes[me * 2 + 1] == 1 && tables.routes[peer * 2] == pe;
  const std::vector<int64_t>& targets = tables.targets[me];
  for (size_t i = 0; receives && i < targets.size(); ++i) {
    const int64_t source = tables.sources[peer][i];
    for (size_t at = 0; source >= 0 && at < block_bytes; ++at) {
      out[static_cast<size_t>(targets[i]) * block_bytes + at] =
          Pattern(static_cast<int>(peer), call, cache, static_cast<size_t>(source) * block_bytes + at);
    }
  }
  out.resize(bytes + kGuardBytes, kGuard);
  return out;
}

// Device memory of one call.
struct Call {
  Tables tables;
  Buffer k_cache;
  Buffer v_cache;
  Buffer routes;
  Buffer sources;
  Buffer targets;
};

template <class T>
int64_t RunCase(Job& job, const Size& size, int count) {
  const size_t block_bytes = static_cast<size_t>(size.block_elements) * sizeof(T);
  const size_t bytes = static_cast<size_t>(size.blocks) * block_bytes;
  const int first = job.calls;
  const auto me = static_cast<size_t>(job.pe);
  std::vector<Call> calls;
  for (int i = 0; i < count; ++i) {
    Tables tables = MakeTables(job.pes, first + i, size);
    calls.push_back({tables, Buffer(PatternBytes(job.pe, first + i, 0, bytes)),
                     Buffer(PatternBytes(job.pe, first + i, 1, bytes)), Buffer(tables.routes),
                     Buffer(tables.sources[me]), Buffer(tables.targets[me])});
  }
  for (const Call& call : calls) {  // no barrier between them
    ++job.calls;
    ShmemKernel::aclshmem_kv_shuffle<T>(size.block_dim, job.stream, util_get_ffts_config(), call.k_cache.data(),
                                        call.v_cache.data(), call.routes.data(), call.sources.data(),
                                        call.targets.data(), job.state, size.blocks, size.block_elements, size.moves,
                                        job.calls * 256);
  }
  REQUIRE_OK(aclrtSynchronizeStream(job.stream));
  int64_t wrong = 0;
  for (int i = 0; i < count; ++i) {
    const Call& call = calls[static_cast<size_t>(i)];
    wrong += call.k_cache.read() != Expected(job.pe, first + i, 0, call.tables, bytes, block_bytes);
    wrong += call.v_cache.read() != Expected(job.pe, first + i, 1, call.tables, bytes, block_bytes);
  }
  if (wrong != 0) {
    std::fprintf(stderr, "PE %d: %lld moves of %lld elements of %zu bytes: %lld caches are wrong\n", job.pe,
                 static_cast<long long>(size.moves), static_cast<long long>(size.block_elements), sizeof(T),
                 static_cast<long long>(wrong));
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s PE PES tcp://host:port [calls]\n", argv[0]);
    return 2;
  }
  Job job{std::atoi(argv[1]), std::atoi(argv[2]), nullptr, nullptr};
  const int calls = argc > 4 ? std::atoi(argv[4]) : 4;
  REQUIRE_OK(aclInit(nullptr));
  REQUIRE_OK(aclrtSetDevice(job.pe % 8));
  REQUIRE_OK(aclrtCreateStream(&job.stream));
  REQUIRE_OK(aclshmemx_set_conf_store_tls(false, nullptr, 0));
  aclshmemx_init_attr_t attributes{};
  attributes.my_pe = job.pe;
  attributes.n_pes = job.pes;
  attributes.local_mem_size = kHeapBytes;
  std::snprintf(attributes.ip_port, sizeof attributes.ip_port, "%s", argv[3]);
  REQUIRE_OK(aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes));
  job.state = static_cast<uint8_t*>(aclshmem_calloc(1, kStateBytes));
  if (job.state == nullptr) {
    std::fprintf(stderr, "PE %d: aclshmem_calloc(%zu) failed\n", job.pe, kStateBytes);
    return 1;
  }
  int64_t wrong = 0;
  // Nothing to move; tails; more blocks of the kernel than values; many rounds of one core; all cores.
  for (const Size& size : {Size{3, 5, 0, 2}, Size{1, 1, 1, 8}, Size{9, 105, 9, 2}, Size{4, 40001, 3, 1},
                           Size{7, 20011, 7, 16}, Size{16, 64, 16, 8}}) {
    wrong += RunCase<int8_t>(job, size, calls);
    wrong += RunCase<op::fp16_t>(job, size, calls);
    wrong += RunCase<op::bfloat16>(job, size, calls);
    wrong += RunCase<float>(job, size, calls);
  }
  aclshmem_free(job.state);
  REQUIRE_OK(aclshmem_finalize());
  REQUIRE_OK(aclrtDestroyStream(job.stream));
  REQUIRE_OK(aclrtResetDevice(job.pe % 8));
  REQUIRE_OK(aclFinalize());
  std::printf("PE %d of %d: %s\n", job.pe, job.pes, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
