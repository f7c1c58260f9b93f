// One PE of the C++ test: ring_shift PE PES tcp://host:port [calls]
// Shifts patterned data of several sizes and types, several calls in a row without a barrier, and compares every byte.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "opdev/fp16_t.h"
#include "ring_shift_kernel.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 16ull << 20;
constexpr size_t kStateBytes = 3 * 8 * 64 + 8 * (64 << 10);
constexpr size_t kTail = 32;  // bytes behind the output that nobody may write
constexpr uint8_t kPoison = 0xA5;

#define REQUIRE_OK(call)                                                              \
    do {                                                                              \
        const auto code = (call);                                                     \
        if (code != 0) {                                                              \
            std::fprintf(stderr, "%s failed with %d\n", #call, static_cast<int>(code)); \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

struct Job {
    int pe;
    int pes;
    aclrtStream stream;
    uint8_t* state;
    int calls;  // so far
};

// Byte `at` of what PE `pe` sends in call `call`.
uint8_t Pattern(int pe, int call, size_t at)
{
    uint64_t x = at * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(pe) * 0x100000001b3ull + static_cast<uint64_t>(call);
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return static_cast<uint8_t>(x >> 56);
}

struct Call {
    void* input;
    void* output;
    int number;
};

Call Prepare(const Job& job, size_t bytes, int number)
{
    Call call{nullptr, nullptr, number};
    REQUIRE_OK(aclrtMalloc(&call.input, bytes + kTail, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMalloc(&call.output, bytes + kTail, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMemset(call.output, bytes + kTail, kPoison, bytes + kTail));
    std::vector<uint8_t> host(bytes);
    for (size_t at = 0; at < bytes; ++at) {
        host[at] = Pattern(job.pe, number, at);
    }
    if (bytes > 0) {
        REQUIRE_OK(aclrtMemcpy(call.input, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    return call;
}

// How many bytes are wrong.
int64_t Check(const Job& job, const Call& call, size_t bytes)
{
    std::vector<uint8_t> host(bytes + kTail);
    REQUIRE_OK(aclrtMemcpy(host.data(), host.size(), call.output, host.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    const int source = (job.pe + job.pes - 1) % job.pes;
    int64_t wrong = 0;
    for (size_t at = 0; at < host.size(); ++at) {
        wrong += host[at] != (at < bytes ? Pattern(source, call.number, at) : kPoison);
    }
    REQUIRE_OK(aclrtFree(call.input));
    REQUIRE_OK(aclrtFree(call.output));
    return wrong;
}

template <class T>
int64_t RunCase(Job& job, int64_t elements, int count)
{
    const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
    std::vector<Call> calls;
    for (int i = 0; i < count; ++i) {
        calls.push_back(Prepare(job, bytes, job.calls + 1 + i));
    }
    for (const Call& call : calls) {  // no barrier between them
        ShmemKernel::aclshmem_ring_shift<T>(bytes <= (64u << 10) ? 1 : 8, job.stream, util_get_ffts_config(),
                                            static_cast<uint8_t*>(call.input), static_cast<uint8_t*>(call.output), job.state,
                                            elements, call.number * 256);
    }
    job.calls += count;
    REQUIRE_OK(aclrtSynchronizeStream(job.stream));
    int64_t wrong = 0;
    for (const Call& call : calls) {
        wrong += Check(job, call, bytes);
    }
    if (wrong != 0) {
        std::fprintf(stderr, "PE %d: %lld elements of %zu bytes: %lld wrong bytes\n", job.pe, static_cast<long long>(elements),
                     sizeof(T), static_cast<long long>(wrong));
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s PE PES tcp://host:port [calls]\n", argv[0]);
        return 2;
    }
    Job job{std::atoi(argv[1]), std::atoi(argv[2]), nullptr, nullptr, 0};
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
    for (const int64_t elements : {0, 1, 13, 1000, 16384, 16385, 65537, 700001}) {
        wrong += RunCase<int8_t>(job, elements, calls);
        wrong += RunCase<op::fp16_t>(job, elements, calls);
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
