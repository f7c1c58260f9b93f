// Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md, contract 895d2e0f46bf3709, text 3284caadc4f475a7
// torch.classes.ShmemOps.AllGather and torch.ops.shmem_ops.all_gather. The kernel's entry is declared in all_gather_kernel.h.

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "npu_launch.h"
#include "shmem.h"
#include "shmem_torch_kernel.h"
#include "torch_register.h"

namespace ShmemOps {

class AllGather : public torch::jit::CustomClassHolder {
 public:
  // Collective: allocates the symmetric state.
  AllGather() : state_(kName, state_bytes()) {}

  // Collective: every PE calls it with the same shapes, also when there is nothing to do. Enqueues on the current stream and
  // returns; outputs are complete when that stream has reached the next operator.
  void compute(const at::Tensor& output, const at::Tensor& input) {
    uint8_t* const state = state_.data(kName);
    shmem_ops::check_device(output, kName, "output");
    shmem_ops::check_device(input, kName, "input");
    const at::ScalarType dtype = input.scalar_type();
    TORCH_CHECK(dtype == at::kChar || dtype == at::kInt || dtype == at::kHalf || dtype == at::kBFloat16 || dtype == at::kFloat,
                kName,
                ": input has dtype ",
                dtype,
                "; supported: int8, int32, fp16, bf16, fp32");
    check_dtype(output, "output", dtype);
    [[maybe_unused]] const int64_t element_bytes = static_cast<int64_t>(input.element_size());
    [[maybe_unused]] const int64_t n_pes = aclshmem_n_pes();
    [[maybe_unused]] const int64_t pe = aclshmem_my_pe();
    TORCH_CHECK(input.dim() == 2,
                kName,
                ": input must be [rows, cols], got ",
                input.sizes());
    [[maybe_unused]] const int64_t rows = input.size(0);
    [[maybe_unused]] const int64_t cols = input.size(1);
    TORCH_CHECK(output.dim() == 3 && output.size(0) == n_pes && output.size(1) == rows && output.size(2) == cols,
                kName,
                ": output must be [n_pes, rows, cols] with n_pes = ",
            n_pes,
            ", rows = ",
            rows,
            ", cols = ",
            cols,
            ", got ",
                output.sizes());
    shmem_ops::check_no_internal_overlap(output, kName, "output");
    shmem_ops::check_no_overlap(output, input, kName, "output", "input");
    TORCH_CHECK(static_cast<int64_t>(input.nbytes()) <= 536870912, kName, ": the contract requires bytes(input) <= 512 MiB");

    const int64_t block_dim = ((static_cast<int64_t>(input.nbytes()) <= 32768) ? int64_t{std::min<int64_t>(n_pes, 8)} : int64_t{((static_cast<int64_t>(input.nbytes()) < 2097152) ? int64_t{8} : int64_t{16})});
    TORCH_CHECK(block_dim >= 1, kName, ": block_dim is ", block_dim);
    [[maybe_unused]] const int64_t epoch = epoch_.next();
    shmem_ops::check_same_call(kName, epoch, {output, input});
    const auto block_dim_value = shmem_ops::narrow<uint32_t>(block_dim, kName, "block_dim");
    const auto elements_value = shmem_ops::narrow<int64_t>(input.numel(), kName, "elements");
    const auto magic_value = shmem_ops::narrow<int32_t>(shmem_ops::mul(1, 256), kName, "magic");

    // From here on only the contiguous tensors are used: their pointers go to the kernel, and the launch keeps them alive.
    const at::Tensor output_dense =
        output.is_contiguous() ? output : output.new_empty(output.sizes());
    const at::Tensor input_dense = input.contiguous();
    shmem_ops::launch(kName, [=](void* stream) -> int {
      const auto run = [&]<class T>(std::type_identity<T>) -> int {
        ShmemKernel::aclshmem_all_gather<T>(
            block_dim_value,
            stream,
            util_get_ffts_config(),
            static_cast<uint8_t*>(input_dense.data_ptr()),
            static_cast<uint8_t*>(output_dense.data_ptr()),
            state,
            elements_value,
            magic_value);
        return 0;
      };
      switch (dtype) {
        case at::kChar:
          return run(std::type_identity<int8_t>{});
        case at::kInt:
          return run(std::type_identity<int32_t>{});
        case at::kHalf:
          return run(std::type_identity<op::fp16_t>{});
        case at::kBFloat16:
          return run(std::type_identity<op::bfloat16>{});
        case at::kFloat:
          return run(std::type_identity<float>{});
        default:
          return 1;  // checked above
      }
    });
    if (!output_dense.is_same(output)) {
      output.copy_(output_dense);
    }
  }

  // Collective, idempotent. Without it Manager.finalize() closes the object; the destructor must not wait for other PEs.
  void close() { state_.close(); }

  std::string get_name() const { return kName; }

 private:
  static constexpr const char* kName = "AllGather";

  static int64_t state_bytes() {
    const int64_t n_pes = aclshmem_n_pes();
    TORCH_CHECK(shmem_ops::is_initialised(),
                kName,
                ": SHMEM is not initialised; call Manager.attr_init on every PE first");
    TORCH_CHECK(n_pes >= 1 && n_pes <= 16, kName, ": ", n_pes, " PEs; it works with 1..16");
    [[maybe_unused]] constexpr int64_t element_bytes = 4;  // the largest dtype
    return 5281792;
  }

  static void check_dtype(const at::Tensor& tensor, const char* name, at::ScalarType expected) {
    TORCH_CHECK(tensor.scalar_type() == expected,
                kName,
                ": ",
                name,
                " has dtype ",
                tensor.scalar_type(),
                ", expected ",
                expected);
  }

  shmem_ops::OperatorState state_;
  shmem_ops::Epoch epoch_;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(AllGather, (compute, "output", "input"), (close), (get_name));

namespace {

// The functional form: what torch.compile and torch.export see. Under Meta there is nothing to compute.
void all_gather(const c10::intrusive_ptr<ShmemOps::AllGather>& op, at::Tensor output, const at::Tensor& input) {
  op->compute(output, input);
}

void all_gather_meta(const c10::intrusive_ptr<ShmemOps::AllGather>&, at::Tensor output, const at::Tensor& input) {
  for (const at::Tensor* tensor : std::initializer_list<const at::Tensor*>{&output, &input}) {
    TORCH_CHECK(tensor->defined(), "all_gather: an argument is not defined");
  }
}

[[maybe_unused]] const auto definitions = [] {
  std::vector<torch::Library> libraries;
  if (shmem_ops_registered_AllGather) {
    libraries.reserve(3);
    libraries.emplace_back(torch::Library::FRAGMENT, "shmem_ops", std::nullopt, __FILE__, __LINE__)
        .def("all_gather(__torch__.torch.classes.ShmemOps.AllGather op, Tensor(a!) output, Tensor input) -> ()");
    libraries.emplace_back(torch::Library::IMPL, "shmem_ops", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__)
        .impl("all_gather", &all_gather);
    libraries.emplace_back(torch::Library::IMPL, "shmem_ops", c10::DispatchKey::Meta, __FILE__, __LINE__)
        .impl("all_gather", &all_gather_meta);
  }
  return libraries;
}();

}  // namespace
