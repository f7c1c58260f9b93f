// AllGather, bound by hand in the way of the examples in circulation, with their faults.

#include <torch/custom_class.h>
#include <torch/extension.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>

#include <algorithm>
#include <string>

#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"
#include "shmem_torch_kernel.h"
#include "torch_register.h"

namespace ShmemOps {

class AllGather : public torch::jit::CustomClassHolder {
 public:
  AllGather() : name_("AllGather"), count_(0), fftsAddr_(util_get_ffts_config()) {
    const size_t bytes = 5281792;
    sync_ptr_ = aclshmem_malloc(bytes);
    aclrtMemset(sync_ptr_, bytes, 0, bytes);
  }

  ~AllGather() { release(); }

  std::string get_name() const { return name_; }

  void compute(const at::Tensor& output, const at::Tensor& input) {
    const int64_t n_pes = aclshmem_n_pes();
    TORCH_CHECK(output.scalar_type() == input.scalar_type(), name_, ": the dtypes differ");
    TORCH_CHECK(output.device() == input.device(), name_, ": the devices differ");
    TORCH_CHECK(output.numel() == input.numel() * n_pes, name_, ": output has a wrong size");
    at::Tensor dense = input.contiguous();
    auto* in = static_cast<uint8_t*>(const_cast<void*>(input.storage().data()));
    auto* out = static_cast<uint8_t*>(const_cast<void*>(output.storage().data()));
    void* stream = c10_npu::getCurrentNPUStream().stream(false);
    const int64_t bytes = static_cast<int64_t>(input.nbytes());
    const auto block_dim = static_cast<uint32_t>(bytes <= 32768 ? std::min<int64_t>(n_pes, 8) : 8);
    count_++;
    switch (input.scalar_type()) {
      case at::kChar:
        run<int8_t>(block_dim, stream, in, out, input.numel());
        break;
      case at::kInt:
        run<int32_t>(block_dim, stream, in, out, input.numel());
        break;
      case at::kHalf:
        run<op::fp16_t>(block_dim, stream, in, out, input.numel());
        break;
      case at::kBFloat16:
        run<op::bfloat16>(block_dim, stream, in, out, input.numel());
        break;
      case at::kFloat:
        run<float>(block_dim, stream, in, out, input.numel());
        break;
      default:
        TORCH_CHECK(false, name_, ": dtype ", input.scalar_type(), " is not supported");
    }
  }

 private:
  template <class T>
  void run(uint32_t block_dim, void* stream, uint8_t* in, uint8_t* out, int64_t elements) {
    ShmemKernel::aclshmem_all_gather<T>(block_dim,
                                        stream,
                                        fftsAddr_,
                                        in,
                                        out,
                                        static_cast<uint8_t*>(sync_ptr_),
                                        elements,
                                        count_ * 256);
  }

  void release() {
    if (sync_ptr_ != nullptr) {
      aclshmem_free(sync_ptr_);
      sync_ptr_ = nullptr;
    }
  }

  std::string name_;
  int32_t count_;
  uint64_t fftsAddr_;
  void* sync_ptr_;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(AllGather, compute, get_name);
