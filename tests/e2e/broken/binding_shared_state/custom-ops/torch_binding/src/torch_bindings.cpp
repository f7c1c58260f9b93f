// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 610114d6e01c6be6
// ShmemOps.Manager: the life of SHMEM in a process. One per library, shared by all operators.

#include <torch/custom_class.h>

#include <string>

#include "npu_launch.h"
#include "torch_register.h"

namespace ShmemOps {

class Manager : public torch::jit::CustomClassHolder {
 public:
  // Collective. Returns 0; raises with SHMEM's code and the likely cause. `local_mem_size`: bytes
  // of symmetric memory of each PE.
  int64_t attr_init(int64_t pe,
                    int64_t n_ranks,
                    int64_t local_mem_size,
                    const std::string& ip_port) {
    shmem_ops::initialise(pe, n_ranks, local_mem_size, ip_port);
    return 0;
  }

  // Collective. Closes the operators that are open, in the order they were made, then SHMEM.
  // Without attr_init: nothing.
  int64_t finalize() {
    shmem_ops::finalise();
    return 0;
  }

  // Collective: a symmetric tensor of `size` bytes (uint8, one dimension).
  at::Tensor malloc_tensor(int64_t size) { return shmem_ops::symmetric_tensor(size); }

  // Collective: a symmetric tensor with the shape, dtype and values of `tensor`.
  at::Tensor malloc_like(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.defined(), "Manager.malloc_like: the tensor is not defined");
    at::Tensor bytes = shmem_ops::symmetric_tensor(static_cast<int64_t>(tensor.numel()) *
                                                   static_cast<int64_t>(tensor.element_size()));
    at::Tensor result = bytes.view(tensor.scalar_type()).view(tensor.sizes());
    result.copy_(tensor);
    return result;
  }

  // Collective. The tensor itself, not a view of it.
  void free_tensor(const at::Tensor& tensor) { shmem_ops::free_symmetric_tensor(tensor); }

  std::string get_name() const { return "Manager"; }
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(Manager,
                         (attr_init, "pe", "n_ranks", "local_mem_size", "ip_port"),
                         (finalize),
                         (malloc_tensor, "size"),
                         (malloc_like, "tensor"),
                         (free_tensor, "tensor"),
                         (get_name));
