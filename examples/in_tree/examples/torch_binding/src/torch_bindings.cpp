// Manager and the operators that were bound by hand.

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/aten/common/from_blob.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>

#include <cstdio>
#include <string>

#include "shmem.h"
#include "shmem_torch_kernel.h"
#include "torch_register.h"

namespace ShmemOps {

// The life of SHMEM in this process. All methods but get_name are collective.
class Manager : public torch::jit::CustomClassHolder {
 public:
    int64_t attr_init(int64_t pe, int64_t n_ranks, int64_t local_mem_size, const std::string& ip_port)
    {
        aclshmemx_init_attr_t attributes{};
        attributes.my_pe = static_cast<int>(pe);
        attributes.n_pes = static_cast<int>(n_ranks);
        attributes.local_mem_size = static_cast<uint64_t>(local_mem_size);
        std::snprintf(attributes.ip_port, sizeof attributes.ip_port, "%s", ip_port.c_str());
        const int status = aclshmemx_set_conf_store_tls(false, nullptr, 0);
        return status != 0 ? status : aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, &attributes);
    }

    int64_t finalize()
    {
        c10_npu::npuSynchronizeDevice();
        return aclshmem_finalize();
    }

    at::Tensor malloc_tensor(int64_t size)
    {
        void* memory = size > 0 ? aclshmem_malloc(static_cast<size_t>(size)) : nullptr;
        TORCH_CHECK(memory != nullptr, "malloc_tensor: no symmetric memory for ", size, " bytes");
        const auto device = static_cast<c10::DeviceIndex>(c10_npu::current_device());
        const auto options = at::TensorOptions().dtype(at::kByte).device(c10::DeviceType::PrivateUse1, device);
        return at_npu::native::from_blob(memory, {size}, options);
    }

    at::Tensor malloc_like(const at::Tensor& tensor)
    {
        at::Tensor bytes = malloc_tensor(static_cast<int64_t>(tensor.nbytes()));
        return bytes.view(tensor.scalar_type()).view(tensor.sizes()).copy_(tensor);
    }

    void free_tensor(const at::Tensor& tensor)
    {
        c10_npu::npuSynchronizeDevice();
        aclshmem_free(tensor.data_ptr());
    }

    std::string get_name() const { return "Manager"; }
};

// PE 2k and PE 2k + 1 swap a tensor. Bound by hand; neither written nor changed by a tool.
class PairExchange : public torch::jit::CustomClassHolder {
 public:
    PairExchange() : state_(aclshmem_calloc(1, static_cast<size_t>(ShmemKernel::kPairExchangeStateBytes)))
    {
        TORCH_CHECK(state_ != nullptr, "PairExchange: no symmetric memory; call Manager.attr_init first");
    }

    void compute(const at::Tensor& output, const at::Tensor& input)
    {
        TORCH_CHECK(output.device().type() == c10::DeviceType::PrivateUse1 && input.device() == output.device(),
                    "PairExchange: output and input must be on one NPU");
        TORCH_CHECK(output.scalar_type() == input.scalar_type() && output.sizes() == input.sizes(),
                    "PairExchange: output and input must have one dtype and one shape");
        TORCH_CHECK(output.is_contiguous(), "PairExchange: output must be contiguous");
        TORCH_CHECK(input.nbytes() <= (size_t{256} << 20), "PairExchange: input is larger than 256 MiB");
        TORCH_CHECK(state_ != nullptr, "PairExchange: used after close()");
        const at::Tensor dense = input.contiguous();
        ++calls_;
        // stream() drains torch_npu's queue: what is launched here comes behind it.
        ShmemKernel::aclshmem_pair_exchange(c10_npu::getCurrentNPUStream().stream(), util_get_ffts_config(),
                                            static_cast<uint8_t*>(dense.data_ptr()), static_cast<uint8_t*>(output.data_ptr()),
                                            static_cast<uint8_t*>(state_), static_cast<int64_t>(dense.nbytes()),
                                            calls_ * 4096);
        c10_npu::npuSynchronizeDevice();  // `dense` lives until the kernel has read it
    }

    // Collective.
    void close()
    {
        aclshmem_free(state_);
        state_ = nullptr;
    }

    std::string get_name() const { return "PairExchange"; }

 private:
    void* state_;
    int32_t calls_ = 0;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(Manager, attr_init, finalize, malloc_tensor, malloc_like, free_tensor, get_name);
REGISTER_SHMEM_OPS_CLASS(PairExchange, compute, close, get_name);
