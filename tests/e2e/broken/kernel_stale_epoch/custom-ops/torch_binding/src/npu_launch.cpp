// Written by shmem-bind 0.1.0: shared by the operators of this tree, text 0512fc0c7f75bb23
#include "npu_launch.h"

#include <ATen/MemoryOverlap.h>
#include <acl/acl.h>
#include <torch_npu/csrc/aten/common/from_blob.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "shmem.h"

namespace shmem_ops {

struct OperatorState::Block {
  std::string op;
  void* pointer = nullptr;
  int64_t bytes = 0;
  bool dropped = false;  // its object is gone, close() was not called
};

namespace {

// The one object per process behind Manager. Its lock guards the lists, never a collective call.
struct Lifecycle {
  std::mutex mutex;
  bool initialised = false;
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

void require_initialised(const char* what) {
  TORCH_CHECK(
      is_initialised(),
      what,
      ": SHMEM is not initialised; call Manager.attr_init(pe, n_ranks, local_mem_size, ip_port) ",
      "on every PE first");
}

void close_block(OperatorState::Block& block) {
  if (block.pointer != nullptr) {
    aclshmem_free(block.pointer);
    block.pointer = nullptr;
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
bool is_initialised() {
  return lifecycle().initialised;
}

void initialise(int64_t pe, int64_t n_ranks, int64_t local_mem_size, const std::string& ip_port) {
  TORCH_CHECK(!is_initialised(),
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
  for (const auto& block : life.states) {
    if (block->pointer != nullptr && block->dropped) {
      TORCH_WARN(block->op,
                 ": an object was dropped without close(); its state of ",
                 block->bytes,
                 " bytes is freed now");
    }
    close_block(*block);
  }
  life.states.clear();
  for (const auto& [pointer, bytes] : life.tensors) {
    TORCH_WARN("Manager.finalize: a symmetric tensor of ",
               bytes,
               " bytes was not freed with free_tensor()");
  }
  life.tensors.clear();
  life.initialised = false;
  const int code = aclshmem_finalize();
  TORCH_CHECK(
      code == 0, "Manager.finalize: aclshmem_finalize gave ", code, " (", error_name(code), ")");
}

at::Tensor symmetric_tensor(int64_t bytes) {
  require_initialised("Manager.malloc_tensor");
  TORCH_CHECK(bytes > 0, "Manager.malloc_tensor: ", bytes, " bytes");
  void* pointer = aclshmem_malloc(static_cast<size_t>(bytes));
  TORCH_CHECK(pointer != nullptr,
              "Manager.malloc_tensor: no symmetric memory for ",
              bytes,
              " bytes; raise local_mem_size of attr_init");
  lifecycle().tensors[pointer] = bytes;
  const auto options = at::TensorOptions().dtype(at::kByte).device(
      c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(current_device()));
  return at_npu::native::from_blob(pointer, {bytes}, options);
}

void free_symmetric_tensor(const at::Tensor& tensor) {
  require_initialised("Manager.free_tensor");
  TORCH_CHECK(tensor.defined(), "Manager.free_tensor: the tensor is not defined");
  const auto found = lifecycle().tensors.find(tensor.data_ptr());
  TORCH_CHECK(found != lifecycle().tensors.end(),
              "Manager.free_tensor: not a symmetric tensor of this Manager, or freed already");
  TORCH_CHECK(
      static_cast<int64_t>(tensor.nbytes()) == found->second && tensor.storage_offset() == 0,
      "Manager.free_tensor: a view of ",
      tensor.nbytes(),
      " bytes; free the tensor of ",
      found->second,
      " bytes it belongs to");
  synchronize();
  void* pointer = found->first;
  lifecycle().tensors.erase(found);
  aclshmem_free(pointer);
}

OperatorState::OperatorState(const char* op, int64_t bytes) : block_(std::make_shared<Block>()) {
  require_initialised(op);
  TORCH_CHECK(bytes > 0, op, ": the state has ", bytes, " bytes");
  block_->op = op;
  block_->bytes = bytes;
  // Zeroed before the allocation's barrier: no peer can signal into it earlier.
  block_->pointer = aclshmem_calloc(1, static_cast<size_t>(bytes));
  TORCH_CHECK(
      block_->pointer != nullptr,
      op,
      ": no symmetric memory for its state of ",
      bytes,
      " bytes on this PE (construction is collective); raise local_mem_size of Manager.attr_init");
  const std::lock_guard lock(lifecycle().mutex);
  lifecycle().states.push_back(block_);
}

OperatorState::~OperatorState() {
  if (block_->pointer != nullptr) {
    block_->dropped = true;
  }
}

uint8_t* OperatorState::data(const char* op) const {
  TORCH_CHECK(block_->pointer != nullptr, op, ": used after close() or Manager.finalize()");
  return static_cast<uint8_t*>(block_->pointer);
}

void OperatorState::close() {
  if (block_->pointer == nullptr) {
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

Epoch::Epoch() {
  if (const char* start = std::getenv("SHMEM_BIND_EPOCH_START")) {
    value_ = std::strtoll(start, nullptr, 10) - 1;
  }
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

void check_no_internal_overlap(const at::Tensor& tensor, const char* op, const char* name) {
  TORCH_CHECK(at::has_internal_overlap(tensor) != at::MemOverlap::Yes,
              op,
              ": ",
              name,
              " overlaps itself (expanded?)");
}

void check_no_overlap(const at::Tensor& a,
                      const at::Tensor& b,
                      const char* op,
                      const char* a_name,
                      const char* b_name) {
  const at::MemOverlapStatus status = at::get_overlap_status(a, b);
  bool overlap = status == at::MemOverlapStatus::Full || status == at::MemOverlapStatus::Partial;
  if (status == at::MemOverlapStatus::TooHard && a.storage().is_alias_of(b.storage())) {
    overlap = true;  // strided views of one storage: refused unless they can be told apart
  }
  TORCH_CHECK(!overlap, op, ": ", a_name, " and ", b_name, " share memory");
}

namespace {

// What is compared between PEs: fixed size, so that it fits a slot.
struct CallRecord {
  char op[48];
  int64_t call;
  int64_t digest;
};

int64_t digest_of(const std::vector<at::Tensor>& tensors) {
  int64_t hash = 1469598103934665603;
  const auto mix = [&hash](int64_t value) { hash = (hash ^ value) * 1099511628211; };
  for (const at::Tensor& tensor : tensors) {
    mix(tensor.defined() ? static_cast<int64_t>(tensor.scalar_type()) : -1);
    for (int64_t i = 0; tensor.defined() && i < tensor.dim(); ++i) {
      mix(tensor.size(i));
    }
  }
  return hash;
}

}  // namespace

void check_same_call(const char* op, int64_t call, const std::vector<at::Tensor>& tensors) {
  static const char* wanted = std::getenv("SHMEM_BIND_CHECK");
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0) {
    return;
  }
  const int pes = aclshmem_n_pes();
  CallRecord mine{};
  std::strncpy(mine.op, op, sizeof mine.op - 1);
  mine.call = call;
  mine.digest = digest_of(tensors);
  const size_t bytes = sizeof(CallRecord) * static_cast<size_t>(pes + 1);
  auto* slots = static_cast<CallRecord*>(aclshmem_calloc(1, bytes));
  TORCH_CHECK(
      slots != nullptr, op, ": SHMEM_BIND_CHECK needs ", bytes, " bytes of symmetric memory");
  aclrtMemcpy(slots + pes, sizeof mine, &mine, sizeof mine, ACL_MEMCPY_HOST_TO_DEVICE);
  for (int pe = 0; pe < pes; ++pe) {
    aclshmem_putmem(slots + aclshmem_my_pe(), slots + pes, sizeof mine, pe);
  }
  aclshmem_barrier_all();
  std::vector<CallRecord> all(static_cast<size_t>(pes));
  aclrtMemcpy(all.data(),
              sizeof(CallRecord) * all.size(),
              slots,
              sizeof(CallRecord) * all.size(),
              ACL_MEMCPY_DEVICE_TO_HOST);
  aclshmem_free(slots);
  for (int pe = 0; pe < pes; ++pe) {
    const CallRecord& other = all[static_cast<size_t>(pe)];
    TORCH_CHECK(std::memcmp(&other, &all[0], sizeof other) == 0,
                "SHMEM_BIND_CHECK: PE ",
                pe,
                " makes call ",
                other.call,
                " of ",
                other.op,
                ", PE 0 call ",
                all[0].call,
                " of ",
                all[0].op,
                other.digest == all[0].digest ? "" : ", with other dtypes or shapes");
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
