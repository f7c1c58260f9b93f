// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 964b49ae19a32cce
#include "npu_launch.h"

#include <acl/acl.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/aten/common/from_blob.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "shmem.h"

namespace shmem_ops {

struct OperatorState::Block {
  std::string op;
  void* pointer = nullptr;
  int64_t bytes = 0;
  bool open = true;
  bool dropped = false;  // its object is gone, close() was not called
};

namespace {

// The one object per process behind Manager. Its lock guards the lists and is never held in a
// collective call: objects may be dropped on any thread.
struct Lifecycle {
  std::mutex mutex;
  std::atomic<bool> initialised = false;
  std::vector<std::shared_ptr<OperatorState::Block>> states;  // in order of construction
  std::map<void*, int64_t> tensors;                           // symmetric tensors, with their bytes
};

Lifecycle& lifecycle() {
  static auto* instance = new Lifecycle;  // operator objects may die after everything else
  return *instance;
}

const char* error_name(int code) {
  switch (code) {
    case ACLSHMEM_INVALID_PARAM:
      return "INVALID_PARAM: a bad argument, or ip_port is not tcp://host:port";
    case ACLSHMEM_INVALID_VALUE:
      return "INVALID_VALUE: pe, n_ranks, local_mem_size or a timeout is out of range";
    case ACLSHMEM_SMEM_ERROR:
      return "SMEM_ERROR: shared memory or a peer failed";
    case ACLSHMEM_INNER_ERROR:
      return "INNER_ERROR: the PEs did not meet (port in use, a PE missing, different sizes), or "
             "initialised twice";
    case ACLSHMEM_NOT_INITED:
      return "NOT_INITED";
    case ACLSHMEM_BOOTSTRAP_ERROR:
      return "BOOTSTRAP_ERROR: the endpoint cannot be used";
    case ACLSHMEM_TIMEOUT_ERROR:
      return "TIMEOUT_ERROR: another PE did not arrive";
    default:
      return "unknown";
  }
}

void close_block(OperatorState::Block& block) {
  block.open = false;
  if (void* pointer = std::exchange(block.pointer, nullptr)) {
    aclshmem_free(pointer);
  }
}

}  // namespace

void launch(const char* name, std::function<int(void* stream)> work) {
  void* stream =
      c10_npu::getCurrentNPUStream().stream(false);  // the handle alone: the queue keeps the order
  at_npu::native::OpCommand::RunOpApiV2(
      name, [stream, work = std::move(work)]() -> int { return work(stream); });
}

int current_device() {
  return c10_npu::current_device();
}
void synchronize() {
  c10_npu::npuSynchronizeDevice();
}

void require_initialised(const char* what) {
  if (lifecycle().initialised) {
    return;
  }
  TORCH_CHECK(aclshmemx_init_status() != ACLSHMEM_STATUS_IS_INITIALIZED,
              what,
              ": SHMEM was initialised by something else than the Manager of this library; load "
              "one binding library into a process, and use its Manager");
  TORCH_CHECK(false,
              what,
              ": SHMEM is not initialised; call Manager.attr_init(pe, n_ranks, local_mem_size, "
              "ip_port) on every PE first");
}

void initialise(int64_t pe, int64_t n_ranks, int64_t local_mem_size, const std::string& ip_port) {
  TORCH_CHECK(!lifecycle().initialised,
              "Manager.attr_init: initialised already; call Manager.finalize() first");
  TORCH_CHECK(n_ranks >= 1 && n_ranks <= ACLSHMEM_MAX_PES && pe >= 0 && pe < n_ranks,
              "Manager.attr_init: PE ",
              pe,
              " of ",
              n_ranks);
  TORCH_CHECK(
      local_mem_size > 0, "Manager.attr_init: local_mem_size is ", local_mem_size, " bytes");
  aclshmemx_init_attr_t attributes{};
  TORCH_CHECK(ip_port.size() < sizeof attributes.ip_port,
              "Manager.attr_init: ip_port \"",
              ip_port,
              "\" is longer than ",
              sizeof attributes.ip_port - 1,
              " characters");
  const int device = current_device();
  TORCH_CHECK(aclrtSetDevice(device) == ACL_SUCCESS,
              "Manager.attr_init: device ",
              device,
              " cannot be used");
  int code = aclshmemx_set_conf_store_tls(false, nullptr, 0);
  TORCH_CHECK(code == 0,
              "Manager.attr_init: aclshmemx_set_conf_store_tls gave ",
              code,
              " (",
              error_name(code),
              ")");
  attributes.my_pe = static_cast<int>(pe);
  attributes.n_pes = static_cast<int>(n_ranks);
  attributes.local_mem_size = static_cast<uint64_t>(local_mem_size);
  std::memcpy(attributes.ip_port, ip_port.c_str(), ip_port.size() + 1);
  code = aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
  TORCH_CHECK(code == 0,
              "Manager.attr_init: PE ",
              pe,
              " of ",
              n_ranks,
              " at ",
              ip_port,
              ": aclshmemx_init_attr gave ",
              code,
              " (",
              error_name(code),
              ")");
  lifecycle().initialised = true;
}

void finalise() {
  Lifecycle& life = lifecycle();
  if (!life.initialised) {
    return;
  }
  synchronize();
  std::vector<std::shared_ptr<OperatorState::Block>> states;
  std::map<void*, int64_t> tensors;
  {
    const std::lock_guard lock(life.mutex);
    states.swap(life.states);
    tensors.swap(life.tensors);
  }
  for (const auto& block : states) {
    if (block->dropped && block->bytes > 0) {
      TORCH_WARN(block->op,
                 ": an object was dropped without close(); its state of ",
                 block->bytes,
                 " bytes is freed now");
    }
    close_block(*block);
  }
  for (const auto& [pointer, bytes] : tensors) {
    TORCH_WARN("Manager.finalize: a symmetric tensor of ",
               bytes,
               " bytes was not freed with free_tensor()");
  }
  life.initialised = false;
  const int code = aclshmem_finalize();
  TORCH_CHECK(
      code == 0, "Manager.finalize: aclshmem_finalize gave ", code, " (", error_name(code), ")");
}

namespace {

std::string unfreed_tensors() {
  const std::lock_guard lock(lifecycle().mutex);
  int64_t bytes = 0;
  for (const auto& tensor : lifecycle().tensors) {
    bytes += tensor.second;
  }
  return c10::str(lifecycle().tensors.size(), " tensors of ", bytes, " bytes that were not freed");
}

}  // namespace

at::Tensor symmetric_tensor(int64_t bytes) {
  require_initialised("Manager.malloc_tensor");
  TORCH_CHECK(bytes > 0, "Manager.malloc_tensor: ", bytes, " bytes; at least 1 is needed");
  void* pointer = aclshmem_malloc(static_cast<size_t>(bytes));
  TORCH_CHECK(pointer != nullptr,
              "Manager.malloc_tensor: no symmetric memory for ",
              bytes,
              " bytes beside ",
              unfreed_tensors(),
              "; free tensors with free_tensor(), or raise local_mem_size of attr_init");
  {
    const std::lock_guard lock(lifecycle().mutex);
    lifecycle().tensors[pointer] = bytes;
  }
  const auto options = at::TensorOptions().dtype(at::kByte).device(
      c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(current_device()));
  return at_npu::native::from_blob(pointer, {bytes}, options);
}

void free_symmetric_tensor(const at::Tensor& tensor) {
  require_initialised("Manager.free_tensor");
  TORCH_CHECK(tensor.defined(), "Manager.free_tensor: the tensor is not defined");
  void* pointer = nullptr;
  {
    const std::lock_guard lock(lifecycle().mutex);
    auto& tensors = lifecycle().tensors;
    const auto found = tensors.find(tensor.data_ptr());
    TORCH_CHECK(found != tensors.end(),
                "Manager.free_tensor: not a symmetric tensor of this Manager, a view behind its "
                "begin, or freed already");
    TORCH_CHECK(static_cast<int64_t>(tensor.nbytes()) == found->second && tensor.is_contiguous(),
                "Manager.free_tensor: a view of ",
                tensor.nbytes(),
                " bytes; free the tensor of ",
                found->second,
                " bytes it belongs to");
    pointer = found->first;
  }
  synchronize();  // what was launched may still use it
  {
    const std::lock_guard lock(lifecycle().mutex);
    lifecycle().tensors.erase(pointer);
  }
  aclshmem_free(pointer);
}

OperatorState::OperatorState(const char* op, int64_t bytes) : block_(std::make_shared<Block>()) {
  require_initialised(op);
  TORCH_CHECK(bytes >= 0, op, ": the contract's state has ", bytes, " bytes");
  block_->op = op;
  block_->bytes = bytes;
  if (bytes > 0) {
    // Zeroed before the allocation's barrier: no peer can signal into it earlier.
    block_->pointer = aclshmem_calloc(1, static_cast<size_t>(bytes));
    TORCH_CHECK(block_->pointer != nullptr,
                op,
                ": no symmetric memory for its state of ",
                bytes,
                " bytes on this PE (construction is collective); raise local_mem_size of "
                "Manager.attr_init");
  }
  const std::lock_guard lock(lifecycle().mutex);
  lifecycle().states.push_back(block_);
}

OperatorState::~OperatorState() {
  const std::lock_guard lock(lifecycle().mutex);
  block_->dropped = block_->open;
}

void OperatorState::require_open() const {
  TORCH_CHECK(block_->open, block_->op, ": used after close() or Manager.finalize()");
}

uint8_t* OperatorState::data() const {
  require_open();
  return static_cast<uint8_t*>(block_->pointer);
}

void OperatorState::close() {
  if (!block_->open) {
    return;
  }
  synchronize();  // what was launched still uses it
  {
    const std::lock_guard lock(lifecycle().mutex);
    auto& states = lifecycle().states;
    states.erase(std::remove(states.begin(), states.end(), block_), states.end());
  }
  close_block(*block_);
}

void add_tracing_methods(const std::string& class_name) {
  using torch::jit::Stack;
  const c10::ClassTypePtr type =
      torch::getCustomClass("__torch__.torch.classes.ShmemOps." + class_name);
  const auto add = [&](const char* name,
                       std::vector<c10::Argument> arguments,
                       const c10::TypePtr& result,
                       std::function<void(Stack&)> work) {
    arguments.emplace(arguments.begin(), "self", type);
    auto method = std::make_unique<torch::jit::BuiltinOpFunction>(
        c10::QualifiedName(*type->name(), name),
        c10::FunctionSchema(name, "", std::move(arguments), {c10::Argument("", result)}),
        std::move(work));
    type->addMethod(method.get());
    torch::registerCustomClassMethod(std::move(method));
  };
  const auto instance = [](const c10::IValue& object) -> void* {
    const bool custom = object.isObject() && object.toObjectRef().slots().size() == 1 &&
                        object.toObjectRef().getSlot(0).isCapsule();
    return custom ? object.toObjectRef().getSlot(0).toCapsule().get() : nullptr;
  };
  const auto text_pair = c10::TupleType::create({c10::StringType::get(), c10::StringType::get()});
  add("__obj_flatten__", {}, c10::TupleType::create({text_pair}), [class_name](Stack& stack) {
    stack.back() = std::make_tuple(std::make_tuple(std::string("class_name"), class_name));
  });
  add("__eq__", {{"other", c10::AnyType::get()}}, c10::BoolType::get(), [instance](Stack& stack) {
    const c10::IValue other = torch::jit::pop(stack);
    stack.back() = instance(stack.back()) == instance(other);
  });
  add("__hash__", {}, c10::IntType::get(), [instance](Stack& stack) {
    stack.back() = reinterpret_cast<int64_t>(instance(stack.back()));
  });
}

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
