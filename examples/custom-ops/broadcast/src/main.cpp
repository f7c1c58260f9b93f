// One PE of the C++ test: broadcast PE PES tcp://host:port [calls]
// Broadcasts patterned data of several sizes and types, several calls in a row without a barrier and from several
// roots, and compares every byte.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "broadcast_kernel.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 64ull << 20;
constexpr size_t kStateBytes = 2 * 16 * 16 * 64 + 2 * 16 * 64 + size_t{2 * 16} * (128 << 10);
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
uint32_t BlockDim(size_t bytes) {
  if (bytes <= 32 << 10) {
    return 1;
  }
  return bytes < 256 << 10 ? 2 : bytes < 2 << 20 ? 8 : 16;
}

// The root of a case's call `i`: the same three times, so that its slots are used again, then another in every call.
int RootOf(const Job& job, int first, int i) { return (first + (i > 2 ? i - 2 : 0)) % job.pes; }

template <class T>
int64_t RunCase(Job& job, int64_t elements, int calls) {
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
  const int first = job.calls;
  std::vector<uint8_t*> inputs;
  std::vector<uint8_t*> outputs;
  for (int call = first; call < first + calls; ++call) {
    inputs.push_back(NewBuffer(bytes, Pattern(job.pe, call, bytes)));
    outputs.push_back(NewBuffer(bytes, {}));
  }
  for (int i = 0; i < calls; ++i) {  // no barrier between them
    ++job.calls;
    ShmemKernel::aclshmem_broadcast<T>(BlockDim(bytes), job.stream, util_get_ffts_config(), inputs[i], outputs[i],
                                       job.state, elements, RootOf(job, first, i), job.calls * 256);
  }
  REQUIRE_OK(aclrtSynchronizeStream(job.stream));
  int64_t wrong = 0;
  for (int i = 0; i < calls; ++i) {
    wrong += Differences(outputs[i], Pattern(RootOf(job, first, i), first + i, bytes));
    REQUIRE_OK(aclrtFree(inputs[i]));
    REQUIRE_OK(aclrtFree(outputs[i]));
  }
  if (wrong != 0) {
    std::fprintf(stderr, "PE %d: %lld elements of %zu bytes: %lld wrong bytes\n", job.pe,
                 static_cast<long long>(elements), sizeof(T), static_cast<long long>(wrong));
  }
  return wrong;
}

int64_t RunAll(Job& job, int calls) {
  int64_t wrong = 0;
  for (const int64_t elements : {0, 1, 13, 1000, 8193, 100003, 700001}) {
    wrong += RunCase<int8_t>(job, elements, calls);
    wrong += RunCase<int32_t>(job, elements, calls);
    wrong += RunCase<op::fp16_t>(job, elements, calls);
    wrong += RunCase<op::bfloat16>(job, elements, calls);
    wrong += RunCase<float>(job, elements, calls);
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
  const int64_t wrong = RunAll(job, argc > 4 ? std::atoi(argv[4]) : 5);
  aclshmem_free(job.state);
  REQUIRE_OK(aclshmem_finalize());
  REQUIRE_OK(aclrtDestroyStream(job.stream));
  REQUIRE_OK(aclrtResetDevice(job.pe % 8));
  REQUIRE_OK(aclFinalize());
  std::printf("PE %d of %d: %s\n", job.pe, job.pes, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
