// Manager: the life of SHMEM in a process.

#include <torch/custom_class.h>

#include <cstdio>
#include <string>

#include "shmem.h"
#include "torch_register.h"

namespace ShmemOps {

class Manager : public torch::jit::CustomClassHolder {
 public:
  int64_t attr_init(int64_t pe,
                    int64_t n_ranks,
                    int64_t local_mem_size,
                    const std::string& ip_port) {
    aclshmemx_init_attr_t attributes{};
    attributes.my_pe = static_cast<int>(pe);
    attributes.n_pes = static_cast<int>(n_ranks);
    attributes.local_mem_size = static_cast<uint64_t>(local_mem_size);
    std::snprintf(attributes.ip_port, sizeof attributes.ip_port, "%s", ip_port.c_str());
    return aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
  }

  int64_t finalize() { return aclshmem_finalize(); }

  at::Tensor malloc_tensor(int64_t size) {
    void* memory = aclshmem_malloc(static_cast<size_t>(size));
    TORCH_CHECK(memory != nullptr, "malloc_tensor: no memory for ", size, " bytes");
    return tensor_over(memory, size);
  }

  at::Tensor malloc_like(const at::Tensor& tensor) {
    return malloc_tensor(static_cast<int64_t>(tensor.nbytes())).view(tensor.scalar_type());
  }

  void free_tensor(const at::Tensor& tensor) { aclshmem_free(tensor.data_ptr()); }

  std::string get_name() const { return "Manager"; }
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(
    Manager, attr_init, finalize, malloc_tensor, malloc_like, free_tensor, get_name);
