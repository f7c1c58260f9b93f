// One PE of the C++ test: all_gather PE PES tcp://host:port [calls]
// Gathers patterned data of several sizes and types, several calls in a row without a barrier, and compares every byte.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "all_gather_kernel.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 64ull << 20;
constexpr size_t kStateBytes =
    2 * 16 * 16 * 64 + 6 * 16 * 64 + 2 * 16 * (32 << 10) + static_cast<size_t>(2 * 16) * (128 << 10);

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

// Byte `at` of what PE `pe` contributes to call `call`.
uint8_t Pattern(int pe, int call, size_t at) {
  uint64_t x = at * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(pe) * 0x100000001b3ull + static_cast<uint64_t>(call);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return static_cast<uint8_t>(x >> 56);
}

uint32_t BlockDim(size_t bytes, int pes) {
  if (bytes <= 32 * 1024) {
    return static_cast<uint32_t>(pes < 8 ? pes : 8);
  }
  return bytes < (2u << 20) ? 8 : 16;
}

template <class T>
int64_t RunCase(Job& job, int64_t elements, int calls) {
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
  const size_t all = bytes * static_cast<size_t>(job.pes);
  std::vector<void*> inputs(static_cast<size_t>(calls));
  std::vector<void*> outputs(static_cast<size_t>(calls));
  std::vector<uint8_t> host(all + 1);
  const int first = job.calls;
  for (int i = 0; i < calls; ++i) {
    REQUIRE_OK(aclrtMalloc(&inputs[i], bytes + 32, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMalloc(&outputs[i], all + 32, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMemset(outputs[i], all + 32, 0xA5, all + 32));
    for (size_t at = 0; at < bytes; ++at) {
      host[at] = Pattern(job.pe, first + i, at);
    }
    if (bytes > 0) {
      REQUIRE_OK(aclrtMemcpy(inputs[i], bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
  }
  for (int i = 0; i < calls; ++i) {  // no barrier between them
    ++job.calls;
    ShmemKernel::aclshmem_all_gather<T>(BlockDim(bytes, job.pes), job.stream, util_get_ffts_config(),
                                        static_cast<uint8_t*>(inputs[i]), static_cast<uint8_t*>(outputs[i]), job.state,
                                        elements, job.calls * 256);
  }
  REQUIRE_OK(aclrtSynchronizeStream(job.stream));
  int64_t wrong = 0;
  std::vector<uint8_t> tail(32);
  for (int i = 0; i < calls; ++i) {
    if (all > 0) {
      REQUIRE_OK(aclrtMemcpy(host.data(), all, outputs[i], all, ACL_MEMCPY_DEVICE_TO_HOST));
    }
    REQUIRE_OK(aclrtMemcpy(tail.data(), 32, static_cast<uint8_t*>(outputs[i]) + all, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int pe = 0; pe < job.pes; ++pe) {
      for (size_t at = 0; at < bytes; ++at) {
        wrong += host[static_cast<size_t>(pe) * bytes + at] != Pattern(pe, first + i, at);
      }
    }
    for (const uint8_t byte : tail) {  // nothing behind the output was written
      wrong += byte != 0xA5;
    }
    REQUIRE_OK(aclrtFree(inputs[i]));
    REQUIRE_OK(aclrtFree(outputs[i]));
  }
  if (wrong != 0) {
    std::fprintf(stderr, "PE %d: %lld elements of %zu bytes: %lld wrong bytes\n", job.pe,
                 static_cast<long long>(elements), sizeof(T), static_cast<long long>(wrong));
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
  const int calls = argc > 4 ? std::atoi(argv[4]) : 3;
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
  for (const int64_t elements : {0, 1, 13, 1000, 8192, 8193, 100003, 700001}) {
    wrong += RunCase<int8_t>(job, elements, calls);
    wrong += RunCase<int32_t>(job, elements, calls);
    wrong += RunCase<op::fp16_t>(job, elements, calls);
    wrong += RunCase<op::bfloat16>(job, elements, calls);
    wrong += RunCase<float>(job, elements, calls);
  }
  aclshmem_free(job.state);
  REQUIRE_OK(aclshmem_finalize());
  REQUIRE_OK(aclrtDestroyStream(job.stream));
  REQUIRE_OK(aclrtResetDevice(job.pe % 8));
  REQUIRE_OK(aclFinalize());
  std::printf("PE %d of %d: %s\n", job.pe, job.pes, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
