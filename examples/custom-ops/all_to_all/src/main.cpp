// One PE of the C++ test: all_to_all PE PES tcp://host:port [calls]
// Sends patterned rows of several sizes and types by random tables, several calls in a row without a barrier and each by
// another table, and compares every byte. Then a table that cannot be followed: nothing may move, nobody may hang.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "acl/acl.h"
#include "all_to_all_kernel.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 64ull << 20;
constexpr size_t kStateBytes = 4 * 16 * 8 * 64 + size_t{2 * 16 * 8} * (32 << 10);
constexpr size_t kGuardBytes = 32;  // behind every buffer, never written
constexpr uint8_t kBlank = 0xA5;

#define REQUIRE_OK(call)                                                          \
  do {                                                                            \
    const auto code = (call);                                                     \
    if (code != 0) {                                                              \
      std::fprintf(stderr, "%s failed with %d\n", #call, static_cast<int>(code)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

struct Job {
  int pe;
  int pes;
  aclrtStream stream;
  uint8_t* state;
  int calls = 0;
};

// What PE `pe` contributes to call `call`.
std::vector<uint8_t> Pattern(int pe, int call, size_t bytes) {
  std::vector<uint8_t> data(bytes);
  for (size_t at = 0; at < bytes; ++at) {
    uint64_t x = at * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(pe) * 0x100000001b3ull + static_cast<uint64_t>(call);
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    data[at] = static_cast<uint8_t>(x >> 56);
  }
  return data;
}

// Device memory: `data`, blank up to `bytes`, and the guard.
uint8_t* NewBuffer(size_t bytes, const std::vector<uint8_t>& data) {
  void* buffer = nullptr;
  REQUIRE_OK(aclrtMalloc(&buffer, bytes + kGuardBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  REQUIRE_OK(aclrtMemset(buffer, bytes + kGuardBytes, kBlank, bytes + kGuardBytes));
  if (!data.empty()) {
    REQUIRE_OK(aclrtMemcpy(buffer, data.size(), data.data(), data.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  return static_cast<uint8_t*>(buffer);
}

// Bytes that differ from `want` and the guard behind it.
int64_t Differences(const uint8_t* buffer, std::vector<uint8_t> want) {
  want.resize(want.size() + kGuardBytes, kBlank);
  std::vector<uint8_t> got(want.size());
  REQUIRE_OK(aclrtMemcpy(got.data(), got.size(), buffer, got.size(), ACL_MEMCPY_DEVICE_TO_HOST));
  int64_t wrong = 0;
  for (size_t at = 0; at < got.size(); ++at) {
    wrong += got[at] != want[at];
  }
  return wrong;
}

// As torch_binding.block_dim of the contract.
uint32_t BlockDim(size_t bytes) { return bytes <= 64 << 10 ? 1 : bytes < 1 << 20 ? 4 : 8; }

// Rows from every PE to every PE, the same on all PEs: random, with some left over and some empty.
std::vector<int64_t> Splits(int pes, int64_t rows, int call) {
  std::mt19937 random(static_cast<uint32_t>(call));
  std::vector<int64_t> splits;
  for (int pe = 0; pe < pes; ++pe) {
    std::vector<int64_t> ends(static_cast<size_t>(pes));
    for (int64_t& end : ends) {
      end = std::uniform_int_distribution<int64_t>(0, rows)(random);
    }
    std::sort(ends.begin(), ends.end());
    for (size_t i = 0; i < ends.size(); ++i) {
      splits.push_back(ends[i] - (i == 0 ? 0 : ends[i - 1]));
    }
  }
  return splits;
}

// What PE `pe` must hold afterwards: the rows of all PEs for it, ordered by source, and blank rows.
std::vector<uint8_t> Expected(const Job& job, const std::vector<int64_t>& splits, int call, size_t bytes, size_t row) {
  std::vector<uint8_t> all;
  for (int source = 0; source < job.pes; ++source) {
    const int64_t* line = splits.data() + static_cast<ptrdiff_t>(source) * job.pes;
    int64_t begin = 0;
    for (int target = 0; target < job.pe; ++target) {
      begin += line[target];
    }
    const std::vector<uint8_t> data = Pattern(source, call, bytes);
    const auto from = data.begin() + begin * static_cast<int64_t>(row);
    all.insert(all.end(), from, from + line[job.pe] * static_cast<int64_t>(row));
  }
  all.resize(bytes * static_cast<size_t>(job.pes), kBlank);
  return all;
}

std::vector<uint8_t> BytesOf(const std::vector<int64_t>& numbers) {
  const auto* begin = reinterpret_cast<const uint8_t*>(numbers.data());
  return {begin, begin + numbers.size() * sizeof(int64_t)};
}

// `tables`: one for each call.
template <class T>
int64_t RunCalls(Job& job, int64_t rows, int64_t cols, const std::vector<std::vector<int64_t>>& tables, bool moves) {
  const size_t row = static_cast<size_t>(cols) * sizeof(T);
  const size_t bytes = static_cast<size_t>(rows) * row;
  const int first = job.calls;
  std::vector<uint8_t*> buffers;  // input, table and output of each call
  for (size_t i = 0; i < tables.size(); ++i) {
    buffers.push_back(NewBuffer(bytes, Pattern(job.pe, first + static_cast<int>(i), bytes)));
    buffers.push_back(NewBuffer(tables[i].size() * sizeof(int64_t), BytesOf(tables[i])));
    buffers.push_back(NewBuffer(bytes * static_cast<size_t>(job.pes), {}));
  }
  for (size_t i = 0; i < tables.size(); ++i) {  // no barrier between them
    ++job.calls;
    ShmemKernel::aclshmem_all_to_all<T>(BlockDim(bytes), job.stream, util_get_ffts_config(), buffers[3 * i],
                                        reinterpret_cast<int64_t*>(buffers[3 * i + 1]), buffers[3 * i + 2], job.state,
                                        rows, cols, job.calls * 1024);
  }
  REQUIRE_OK(aclrtSynchronizeStream(job.stream));
  int64_t wrong = 0;
  for (size_t i = 0; i < tables.size(); ++i) {
    const std::vector<int64_t> nothing(tables[i].size());
    const auto& splits = moves ? tables[i] : nothing;
    wrong += Differences(buffers[3 * i + 2], Expected(job, splits, first + static_cast<int>(i), bytes, row));
  }
  for (uint8_t* buffer : buffers) {
    REQUIRE_OK(aclrtFree(buffer));
  }
  if (wrong != 0) {
    std::fprintf(stderr, "PE %d: %lld x %lld elements of %zu bytes: %lld wrong bytes\n", job.pe,
                 static_cast<long long>(rows), static_cast<long long>(cols), sizeof(T), static_cast<long long>(wrong));
  }
  return wrong;
}

template <class T>
int64_t RunCase(Job& job, int64_t rows, int64_t cols, int calls) {
  std::vector<std::vector<int64_t>> tables;
  for (int call = job.calls; call < job.calls + calls; ++call) {
    tables.push_back(Splits(job.pes, rows, call));
  }
  return RunCalls<T>(job, rows, cols, tables, true);
}

// Too many rows in the last line, and a negative number: no PE may move anything.
int64_t RunBadTables(Job& job) {
  const size_t count = static_cast<size_t>(job.pes) * static_cast<size_t>(job.pes);
  std::vector<int64_t> many(count, 1);
  many.back() = 1 << 20;
  std::vector<int64_t> negative(count, 1);
  negative.back() = -1;
  return RunCalls<int32_t>(job, 64, 8, {many, negative}, false) + RunCase<int32_t>(job, 64, 8, 1);
}

int64_t RunAll(Job& job, int calls) {
  struct Shape {
    int64_t rows;
    int64_t cols;
  };
  int64_t wrong = 0;
  for (const auto& [rows, cols] : {Shape{0, 4}, {4, 0}, {1, 1}, {7, 13}, {64, 32}, {1031, 33}, {129, 2311}}) {
    wrong += RunCase<int8_t>(job, rows, cols, calls);
    wrong += RunCase<int32_t>(job, rows, cols, calls);
    wrong += RunCase<op::fp16_t>(job, rows, cols, calls);
    wrong += RunCase<op::bfloat16>(job, rows, cols, calls);
    wrong += RunCase<float>(job, rows, cols, calls);
  }
  return wrong + RunBadTables(job);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s PE PES tcp://host:port [calls]\n", argv[0]);
    return 2;
  }
  Job job{std::atoi(argv[1]), std::atoi(argv[2]), nullptr, nullptr};
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
  const int64_t wrong = RunAll(job, argc > 4 ? std::atoi(argv[4]) : 3);
  aclshmem_free(job.state);
  REQUIRE_OK(aclshmem_finalize());
  REQUIRE_OK(aclrtDestroyStream(job.stream));
  REQUIRE_OK(aclrtResetDevice(job.pe % 8));
  REQUIRE_OK(aclFinalize());
  std::printf("PE %d of %d: %s\n", job.pe, job.pes, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
