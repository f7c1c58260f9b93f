// Manager: the life of SHMEM in a process.

#include <torch/custom_class.h>
#include <torch_npu/csrc/aten/common/from_blob.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>

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
    int status = aclshmemx_set_conf_store_tls(false, nullptr, 0);
    aclshmemx_init_attr_t attributes{};
    attributes.my_pe = static_cast<int>(pe);
    attributes.n_pes = static_cast<int>(n_ranks);
    attributes.local_mem_size = static_cast<uint64_t>(local_mem_size);
    std::snprintf(attributes.ip_port, sizeof attributes.ip_port, "%s", ip_port.c_str());
    status = aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
    return status;
  }

  int64_t finalize() { return aclshmem_finalize(); }

  at::Tensor malloc_tensor(int64_t size) {
    const auto options = at::TensorOptions().dtype(at::kByte).device(
        c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(c10_npu::current_device()));
    return at_npu::native::from_blob(
        aclshmem_malloc(static_cast<size_t>(size)), {size}, {1}, 0, options);
  }

  at::Tensor malloc_like(const at::Tensor& tensor) {
    at::Tensor made = malloc_tensor(static_cast<int64_t>(tensor.nbytes()))
                          .view(tensor.scalar_type())
                          .view(tensor.sizes());
    made.copy_(tensor);
    return made;
  }

  void free_tensor(const at::Tensor& tensor) { aclshmem_free(tensor.data_ptr()); }

  std::string get_name() const { return "Manager"; }
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(
    Manager, attr_init, finalize, malloc_tensor, malloc_like, free_tensor, get_name);
