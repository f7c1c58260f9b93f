// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 453e495fa51d3394
#include "npu_launch.h"

#include <acl/acl.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/aten/common/from_blob.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <atomic>
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
      c10_npu::getDefaultNPUStream().stream(false);  // the handle alone: the queue keeps the order
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

}  // namespace shmem_ops
