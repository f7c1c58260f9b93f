// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 5beda6e546b60cae
#include "npu_launch.h"

#include <acl/acl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "shmem.h"

// What a compute looks at before it launches.

namespace shmem_ops {

Epoch::Epoch() {
  const char* start = std::getenv("SHMEM_BIND_EPOCH_START");
  if (start == nullptr || *start == '\0') {
    return;
  }
  char* end = nullptr;
  next_ = std::strtoll(start, &end, 10);
  TORCH_CHECK(*end == '\0' && next_ >= 1,
              "SHMEM_BIND_EPOCH_START is \"",
              start,
              "\": it must be a number from 1 up");
}

void check_device(const at::Tensor& tensor, const char* op, const char* name) {
  TORCH_CHECK(tensor.defined(), op, ": ", name, " is not defined");
  TORCH_CHECK(tensor.device().type() == c10::DeviceType::PrivateUse1,
              op,
              ": ",
              name,
              " is on ",
              tensor.device(),
              ", not on an NPU");
  TORCH_CHECK(tensor.device().index() == current_device(),
              op,
              ": ",
              name,
              " is on ",
              tensor.device(),
              ", the PE's device is npu:",
              current_device());
}

void check_dtype(const at::Tensor& tensor,
                 const char* op,
                 const char* name,
                 at::ScalarType expected) {
  TORCH_CHECK(tensor.scalar_type() == expected,
              op,
              ": ",
              name,
              " has dtype ",
              tensor.scalar_type(),
              ", expected ",
              expected);
}

void check_shape(const at::Tensor& tensor,
                 const char* op,
                 const char* name,
                 const char* shape,
                 at::IntArrayRef sizes) {
  bool fits = tensor.dim() == static_cast<int64_t>(sizes.size());
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    fits = sizes[i] == -1 || tensor.size(static_cast<int64_t>(i)) == sizes[i];
  }
  TORCH_CHECK(fits, op, ": ", name, " must be ", shape, " = ", sizes, ", got ", tensor.sizes());
}

namespace {

// Bytes [begin, end) of memory.
struct Range {
  uintptr_t begin;
  uintptr_t end;
};

// The bytes between a tensor's first and behind its last element; empty without elements.
Range extent_of(const at::Tensor& tensor) {
  const auto begin = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
  int64_t last = 0;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    last += (tensor.size(i) - 1) * tensor.stride(i);
  }
  const auto bytes = static_cast<uintptr_t>((last + 1) * tensor.element_size());
  return {begin, tensor.numel() == 0 ? begin : begin + bytes};
}

constexpr int64_t kMostPieces = int64_t{1} << 16;

// The stretches of memory without gaps that a tensor consists of, unordered; empty when they are
// too many to look at.
std::vector<Range> pieces_of(const at::Tensor& tensor) {
  int64_t inner = tensor.dim();  // dimensions from here on lie without gaps
  int64_t elements = 1;
  while (inner > 0 && (tensor.size(inner - 1) == 1 || tensor.stride(inner - 1) == elements)) {
    elements *= tensor.size(--inner);
  }
  const int64_t count = tensor.numel() / std::max<int64_t>(elements, 1);
  if (count > kMostPieces) {
    return {};
  }
  const auto begin = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
  std::vector<Range> pieces;
  std::vector<int64_t> index(static_cast<size_t>(inner), 0);
  for (int64_t piece = 0; piece < count; ++piece) {
    int64_t offset = 0;
    for (int64_t i = 0; i < inner; ++i) {
      offset += index[static_cast<size_t>(i)] * tensor.stride(i);
    }
    const auto at = begin + static_cast<uintptr_t>(offset * tensor.element_size());
    pieces.push_back({at, at + static_cast<uintptr_t>(elements * tensor.element_size())});
    for (int64_t i = inner - 1; i >= 0 && ++index[static_cast<size_t>(i)] == tensor.size(i); --i) {
      index[static_cast<size_t>(i)] = 0;
    }
  }
  return pieces;
}

bool any_overlap(std::vector<Range> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Range& a, const Range& b) {
    return a.begin < b.begin;
  });
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin < pieces[i - 1].end) {
      return true;
    }
  }
  return false;
}

// Every stride steps over all that the smaller ones reach: no two elements can meet.
bool strides_are_nested(const at::Tensor& tensor) {
  std::vector<std::pair<int64_t, int64_t>> dimensions;  // stride, size
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.size(i) > 1) {
      dimensions.emplace_back(tensor.stride(i), tensor.size(i));
    }
  }
  std::sort(dimensions.begin(), dimensions.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : dimensions) {
    if (stride <= reach) {
      return false;
    }
    reach += stride * (size - 1);
  }
  return true;
}

}  // namespace

void check_no_internal_overlap(const at::Tensor& tensor, const char* op, const char* name) {
  if (tensor.numel() == 0 || strides_are_nested(tensor)) {
    return;
  }
  const std::vector<Range> pieces = pieces_of(tensor);
  TORCH_CHECK(!pieces.empty() && !any_overlap(pieces),
              op,
              ": ",
              name,
              " overlaps itself (sizes ",
              tensor.sizes(),
              ", strides ",
              tensor.strides(),
              "; expanded?)");
}

void check_no_overlap(const at::Tensor& a,
                      const at::Tensor& b,
                      const char* op,
                      const char* a_name,
                      const char* b_name) {
  const Range first = extent_of(a);
  const Range second = extent_of(b);
  const bool apart = first.end <= second.begin || second.end <= first.begin;
  if (apart || a.numel() == 0 || b.numel() == 0) {
    return;
  }
  // `a` is an output and does not overlap itself: its pieces end in the order they begin.
  std::vector<Range> pieces = pieces_of(a);
  const std::vector<Range> others = pieces_of(b);
  TORCH_CHECK(!pieces.empty() && !others.empty(),
              op,
              ": ",
              a_name,
              " and ",
              b_name,
              " lie interleaved in the same memory; make one of them contiguous");
  std::sort(pieces.begin(), pieces.end(), [](const Range& x, const Range& y) {
    return x.begin < y.begin;
  });
  for (const Range& other : others) {
    const auto next = std::partition_point(
        pieces.begin(), pieces.end(), [&](const Range& piece) { return piece.end <= other.begin; });
    TORCH_CHECK(next == pieces.end() || next->begin >= other.end,
                op,
                ": ",
                a_name,
                " and ",
                b_name,
                " share memory");
  }
}

namespace {

// What is compared between PEs: as text, so that the message can show it.
struct CallRecord {
  char text[256];
};

CallRecord record_of(const char* op, int64_t call, const std::vector<at::Tensor>& tensors) {
  std::string text = c10::str("call ", call, " of ", op, "(");
  for (const at::Tensor& tensor : tensors) {
    text += text.back() == '(' ? "" : ", ";
    text += tensor.defined()
                ? c10::str(tensor.scalar_type(), " ", tensor.sizes(), " ", tensor.device().type())
                : "undefined";
  }
  text += ")";
  CallRecord record{};
  if (text.size() >= sizeof record.text) {  // the end as a number, so that it still counts
    const std::string end = c10::str("... ", std::hash<std::string>()(text));
    text = text.substr(0, sizeof record.text - 1 - end.size()) + end;
  }
  std::memcpy(record.text, text.c_str(), text.size());
  return record;
}

bool check_is_wanted() {
  const char* wanted = std::getenv("SHMEM_BIND_CHECK");
  return wanted != nullptr && std::strcmp(wanted, "1") == 0;
}

// `mine` of every PE, by PE. Collective.
std::vector<CallRecord> exchange(const char* op, const CallRecord& mine) {
  const auto pes = static_cast<size_t>(aclshmem_n_pes());
  const size_t bytes = sizeof(CallRecord) * (pes + 1);
  auto* slots = static_cast<CallRecord*>(aclshmem_calloc(1, bytes));
  TORCH_CHECK(
      slots != nullptr, op, ": SHMEM_BIND_CHECK needs ", bytes, " bytes of symmetric memory");
  int code = aclrtMemcpy(slots + pes, sizeof mine, &mine, sizeof mine, ACL_MEMCPY_HOST_TO_DEVICE);
  for (size_t pe = 0; code == 0 && pe < pes; ++pe) {
    aclshmem_putmem(slots + aclshmem_my_pe(), slots + pes, sizeof mine, static_cast<int>(pe));
  }
  aclshmem_barrier_all();
  std::vector<CallRecord> all(pes);
  const size_t size = sizeof(CallRecord) * pes;
  code = code != 0 ? code : aclrtMemcpy(all.data(), size, slots, size, ACL_MEMCPY_DEVICE_TO_HOST);
  aclshmem_free(slots);
  TORCH_CHECK(code == 0, op, ": SHMEM_BIND_CHECK: aclrtMemcpy gave ", code);
  return all;
}

}  // namespace

void check_same_call(const char* op, int64_t call, const std::vector<at::Tensor>& tensors) {
  static const bool wanted = check_is_wanted();
  if (!wanted) {
    return;
  }
  const std::vector<CallRecord> all = exchange(op, record_of(op, call, tensors));
  for (size_t pe = 1; pe < all.size(); ++pe) {
    TORCH_CHECK(std::strcmp(all[pe].text, all[0].text) == 0,
                op,
                ": the PEs do not make the same call: PE 0 makes ",
                all[0].text,
                ", PE ",
                pe,
                " makes ",
                all[pe].text,
                " (SHMEM_BIND_CHECK)");
  }
}

void raise_narrowing(
    const char* op, const char* parameter, int64_t value, int64_t low, int64_t high) {
  TORCH_CHECK(false,
              op,
              ": the kernel's parameter ",
              parameter,
              " takes ",
              low,
              " to ",
              high,
              ", not ",
              value,
              " (when it grows with every call: create a new object)");
}

void raise_arithmetic(const char* what, int64_t a, int64_t b) {
  TORCH_CHECK(
      false, "the contract's expression ", a, " ", what, " ", b, " cannot be computed in 64 bits");
}

}  // namespace shmem_ops
