// CopyRows, bound by hand. Comments are no code: input.storage().data(), stream(false).

#include <torch/custom_class.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>

#include <string>

#include "shmem.h"
#include "shmem_torch_kernel.h"
#include "torch_register.h"

namespace ShmemOps {

class CopyRows : public torch::jit::CustomClassHolder {
 public:
  CopyRows() {
    state_ = aclshmem_calloc(1, 4096 * static_cast<size_t>(aclshmem_n_pes()));
    TORCH_CHECK(state_ != nullptr, "CopyRows: no symmetric memory");
  }

  void compute(const at::Tensor& output, const at::Tensor& input) {
    TORCH_CHECK(input.device().type() == c10::DeviceType::PrivateUse1,
                "CopyRows: input is on ",
                input.device());
    TORCH_CHECK(output.scalar_type() == input.scalar_type(), "CopyRows: the dtypes differ");
    TORCH_CHECK(input.dim() == 2 && output.dim() == 3,
                "CopyRows: not [rows, cols] and [n_pes, rows, cols]");
    TORCH_CHECK(output.is_contiguous(), "CopyRows: output has gaps");
    const at::Tensor dense = input.contiguous();
    ++count_;
    auto* stream = c10_npu::getCurrentNPUStream().stream();
    switch (input.scalar_type()) {
      case at::kInt:
        return run<int32_t>(stream, dense, output, count_);
      case at::kHalf:
        return run<op::fp16_t>(stream, dense, output, count_);
      default:
        TORCH_CHECK(false, "CopyRows: int32 and fp16 only");
    }
  }

  void close() {
    aclshmem_free(state_);
    state_ = nullptr;
  }

  std::string get_name() const { return "CopyRows"; }

 private:
  template <class T>
  void run(void* stream, const at::Tensor& dense, const at::Tensor& output, int32_t magic) {
    ShmemKernel::copy_rows_kernel<T>(8,
                                     stream,
                                     util_get_ffts_config(),
                                     static_cast<uint8_t*>(dense.data_ptr()),
                                     static_cast<uint8_t*>(output.data_ptr()),
                                     static_cast<uint8_t*>(state_),
                                     dense.numel(),
                                     magic);
    c10_npu::npuSynchronizeDevice();
  }

  void* state_ = nullptr;
  int32_t count_ = 0;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(CopyRows, compute, close, get_name);
