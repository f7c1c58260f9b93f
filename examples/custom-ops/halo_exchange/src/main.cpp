// One PE of the C++ test: halo_exchange PE PES tcp://host:port [calls]
// Exchanges the edges of patterned tiles of several sizes and types, several calls in a row without a barrier, with another
// grid and another border in every call, and compares every byte.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "halo_exchange_kernel.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"

namespace {

constexpr uint64_t kHeapBytes = 64ull << 20;
constexpr size_t kStateBytes = 2 * 16 * 8 * 64 + 8 * 2 * 64 + (16 << 10) + static_cast<size_t>(8 * 2) * (128 << 10);
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
  int64_t rows;
  int64_t cols;
  int32_t halo;
  uint32_t block_dim;
};

// What changes from call to call, alike on all PEs.
struct Setting {
  int number;
  bool periodic;
  int32_t grid_cols;  // as it is passed
};

Setting SettingOf(int call, int pes) {
  const int32_t columns[] = {0, 1, pes};
  return {call, call / 3 % 2 == 1, columns[call % 3]};
}

int64_t GridColumns(const Setting& setting, int pes) {
  int64_t columns = setting.grid_cols;
  for (int64_t c = 1; setting.grid_cols == 0 && c * c <= pes; ++c) {
    columns = pes % c == 0 ? c : columns;
  }
  return columns;
}

// Device memory with guard bytes behind it.
class Buffer {
 public:
  explicit Buffer(const std::vector<uint8_t>& bytes) : size_(bytes.size()) {
    std::vector<uint8_t> guarded = bytes;
    guarded.resize(size_ + kGuardBytes, kGuard);
    REQUIRE_OK(aclrtMalloc(&data_, guarded.size(), ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE_OK(aclrtMemcpy(data_, guarded.size(), guarded.data(), guarded.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
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

// Byte `byte` of the domain's element in this row and column.
uint8_t Pattern(int call, int64_t row, int64_t col, size_t byte) {
  uint64_t x = static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(col) * 0xd6e8feb86659fd93ull +
               static_cast<uint64_t>(call) * 0x100000001b3ull + byte;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return static_cast<uint8_t>(x >> 56);
}

// The window of the domain that PE `pe` sees with `halo` rows and columns around its tile.
std::vector<uint8_t> Window(const Setting& setting, int pe, int pes, const Size& size, int64_t halo, size_t bytes) {
  const int64_t columns = GridColumns(setting, pes);
  const int64_t domain_rows = pes / columns * size.rows;
  const int64_t domain_cols = columns * size.cols;
  std::vector<uint8_t> out;
  out.reserve(static_cast<size_t>((size.rows + 2 * halo) * (size.cols + 2 * halo)) * bytes);
  for (int64_t i = -halo; i < size.rows + halo; ++i) {
    for (int64_t j = -halo; j < size.cols + halo; ++j) {
      const int64_t row = pe / columns * size.rows + i;
      const int64_t col = pe % columns * size.cols + j;
      const bool inside = row >= 0 && row < domain_rows && col >= 0 && col < domain_cols;
      const int64_t wrapped_row = (row + domain_rows) % domain_rows;
      const int64_t wrapped_col = (col + domain_cols) % domain_cols;
      for (size_t byte = 0; byte < bytes; ++byte) {
        const bool zero = !inside && !setting.periodic;
        out.push_back(zero ? uint8_t{0} : Pattern(setting.number, wrapped_row, wrapped_col, byte));
      }
    }
  }
  return out;
}

// Device memory of one call.
struct Call {
  Setting setting;
  Buffer input;
  Buffer output;
};

template <class T>
int64_t RunCase(Job& job, const Size& size, int count) {
  const size_t output_bytes =
      static_cast<size_t>((size.rows + 2 * size.halo) * (size.cols + 2 * size.halo)) * sizeof(T);
  std::vector<Call> calls;
  for (int i = 0; i < count; ++i) {
    const Setting setting = SettingOf(job.calls + i, job.pes);
    calls.push_back({setting, Buffer(Window(setting, job.pe, job.pes, size, 0, sizeof(T))),
                     Buffer(std::vector<uint8_t>(output_bytes, kGuard))});
  }
  for (const Call& call : calls) {  // no barrier between them
    ++job.calls;
    ShmemKernel::aclshmem_halo_exchange<T>(size.block_dim, job.stream, util_get_ffts_config(), call.input.data(),
                                           call.output.data(), job.state, size.rows, size.cols, size.halo,
                                           call.setting.periodic ? 1 : 0, call.setting.grid_cols, job.calls);
  }
  REQUIRE_OK(aclrtSynchronizeStream(job.stream));
  int64_t wrong = 0;
  for (const Call& call : calls) {
    std::vector<uint8_t> expected = Window(call.setting, job.pe, job.pes, size, size.halo, sizeof(T));
    expected.resize(output_bytes + kGuardBytes, kGuard);
    wrong += call.output.read() != expected;
  }
  if (wrong != 0) {
    std::fprintf(stderr, "PE %d: %lld x %lld elements of %zu bytes, halo %d: %lld of %d calls are wrong\n", job.pe,
                 static_cast<long long>(size.rows), static_cast<long long>(size.cols), sizeof(T), size.halo,
                 static_cast<long long>(wrong), count);
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
  const int calls = argc > 4 ? std::atoi(argv[4]) : 6;
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
  // No halo; the smallest tile; tails; rows longer than the unified buffer holds; columns of more rows than one transfer takes.
  for (const Size& size : {Size{5, 3, 0, 4}, Size{1, 1, 1, 4}, Size{7, 13, 2, 4}, Size{40, 33, 5, 16},
                           Size{2, 20011, 1, 8}, Size{5003, 2, 2, 8}}) {
    wrong += RunCase<int8_t>(job, size, calls);
    wrong += RunCase<int32_t>(job, size, calls);
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
