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
