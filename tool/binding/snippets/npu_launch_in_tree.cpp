#include "npu_launch.h"

#include <acl/acl.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <utility>

#include "shmem.h"

namespace shmem_ops {

struct OperatorState::Block {
  std::string op;
  void* pointer = nullptr;
  bool open = true;
};

namespace {

bool is_initialised() {
  return aclshmemx_init_status() == ACLSHMEM_STATUS_IS_INITIALIZED;
}

}  // namespace

void require_initialised(const char* what) {
  TORCH_CHECK(is_initialised(),
              what,
              ": SHMEM is not initialised; call Manager.attr_init(pe, n_ranks, local_mem_size, "
              "ip_port) on every PE first");
}

OperatorState::OperatorState(const char* op, int64_t bytes) : block_(std::make_shared<Block>()) {
  require_initialised(op);
  TORCH_CHECK(bytes >= 0, op, ": the contract's state has ", bytes, " bytes");
  block_->op = op;
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
}

void OperatorState::require_open() const {
  TORCH_CHECK(
      block_->open && is_initialised(), block_->op, ": used after close() or Manager.finalize()");
}

uint8_t* OperatorState::data() const {
  require_open();
  return static_cast<uint8_t*>(block_->pointer);
}

void OperatorState::close() {
  if (!std::exchange(block_->open, false) || !is_initialised()) {
    return;  // finalize() has taken all symmetric memory with it
  }
  synchronize();  // what was launched still uses it
  if (void* pointer = std::exchange(block_->pointer, nullptr)) {
    aclshmem_free(pointer);
  }
}
