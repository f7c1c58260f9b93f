// Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
// contract eebdb9ca094da100, text 748ce5f4a8ced877
// torch.classes.ShmemOps.AllGather and torch.ops.shmem_ops.all_gather.
// The kernel's entry is declared in all_gather_kernel.h.

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "npu_launch.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "shmem.h"
#include "torch_register.h"

// As in shmem_torch_kernel.h. Said here too, so that an operator that joins the tree is the only
// one that is compiled.
namespace ShmemKernel {
template <class T>
void aclshmem_all_gather(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic);
}  // namespace ShmemKernel

namespace ShmemOps {

// One thread at a time uses an object: the order of its calls is part of what the PEs agree on.
class AllGather : public torch::jit::CustomClassHolder {
 public:
  // Collective: allocates the symmetric state.
  AllGather() : state_(kName, state_bytes()) {}

  // Collective: every PE calls it with the same shapes, also when there is nothing to do. Enqueues
  // on the current stream and returns; outputs are complete when that stream has reached the next
  // operator.
  void compute(const at::Tensor& output, const at::Tensor& input) {
    uint8_t* const state = state_.data();
    const int64_t epoch = epoch_.next();
    shmem_ops::check_same_call(kName, epoch, {output, input});
    shmem_ops::check_device(output, kName, "output");
    shmem_ops::check_device(input, kName, "input");
    const at::ScalarType dtype = input.scalar_type();
    TORCH_CHECK(is_supported(dtype),
                kName,
                ": input has dtype ",
                dtype,
                "; supported: int8, int32, fp16, bf16, fp32");
    shmem_ops::check_dtype(output, kName, "output", dtype);
    const int64_t n_pes = aclshmem_n_pes();
    TORCH_CHECK(input.dim() == 2, kName, ": input must be [rows, cols], got ", input.sizes());
    const int64_t rows = input.size(0);
    const int64_t cols = input.size(1);
    shmem_ops::check_shape(output, kName, "output", "[n_pes, rows, cols]", {n_pes, rows, cols});
    shmem_ops::check_no_internal_overlap(output, kName, "output");
    shmem_ops::check_no_overlap(output, input, kName, "output", "input");
    TORCH_CHECK(static_cast<int64_t>(input.nbytes()) <= 536870912,
                kName,
                ": the contract requires bytes(input) <= 512 MiB");

    int64_t block_dim = 0;
    if (static_cast<int64_t>(input.nbytes()) <= 32768) {
      block_dim = std::min<int64_t>(n_pes, 8);
    } else if (static_cast<int64_t>(input.nbytes()) < 262144) {
      block_dim = 2;
    } else if (static_cast<int64_t>(input.nbytes()) < 2097152) {
      block_dim = 8;
    } else {
      block_dim = 16;
    }
    TORCH_CHECK(block_dim >= 1, kName, ": block_dim is ", block_dim);
    const auto block_dim_value = shmem_ops::narrow<uint32_t>(block_dim, kName, "block_dim");
    const auto elements_value = shmem_ops::narrow<int64_t>(input.numel(), kName, "elements");
    const auto magic_value = shmem_ops::narrow<int32_t>(shmem_ops::mul(epoch, 256), kName, "magic");

    // From here on only the contiguous tensors are used: their memory goes to the kernel, and the
    // launch keeps it alive.
    const at::Tensor output_dense = output.contiguous();
    const at::Tensor input_dense = input.contiguous();
    const shmem_ops::Memory output_memory(output_dense);
    const shmem_ops::Memory input_memory(input_dense);
    epoch_.advance();
    shmem_ops::launch(kName, [=](void* stream) -> int {
      const auto run = [&]<class T>(std::type_identity<T>) {
        ShmemKernel::aclshmem_all_gather<T>(block_dim_value,
                                            stream,
                                            util_get_ffts_config(),
                                            static_cast<uint8_t*>(input_memory.data()),
                                            static_cast<uint8_t*>(output_memory.data()),
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

  // Collective, idempotent. Without it Manager.finalize() closes the object; the destructor must
  // not wait for other PEs.
  void close() { state_.close(); }

  std::string get_name() const { return kName; }

 private:
  static constexpr const char* kName = "AllGather";

  static bool is_supported(at::ScalarType dtype) {
    switch (dtype) {
      case at::kChar:
      case at::kInt:
      case at::kHalf:
      case at::kBFloat16:
      case at::kFloat:
        return true;
      default:
        return false;
    }
  }

  // Of this PE; the same on every PE.
  static int64_t state_bytes() {
    shmem_ops::require_initialised(kName);
    const int64_t n_pes = aclshmem_n_pes();
    TORCH_CHECK(n_pes >= 1 && n_pes <= 16, kName, ": ", n_pes, " PEs; it works with 1..16");
    return 5281792;
  }

  shmem_ops::OperatorState state_;
  shmem_ops::Epoch epoch_;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(AllGather, (compute, "output", "input"), (close), (get_name));

namespace {

constexpr const char* kOperator = "all_gather";
constexpr const char* kSchema =
    "all_gather(__torch__.torch.classes.ShmemOps.AllGather op, "
    "Tensor(a!) output, "
    "Tensor input) -> ()";

// The functional form: what torch.compile and torch.export see. Outputs are written in place, so
// under Meta there is nothing to compute.
void call(const c10::intrusive_ptr<ShmemOps::AllGather>& op,
          at::Tensor output,
          const at::Tensor& input) {
  op->compute(output, input);
}

void call_meta(const c10::intrusive_ptr<ShmemOps::AllGather>&, at::Tensor, const at::Tensor&) {}

[[maybe_unused]] const auto definitions = [] {
  std::vector<torch::Library> libraries;
  if (shmem_ops_registered_AllGather) {
    using torch::Library;
    libraries.reserve(4);
    libraries.emplace_back(Library::FRAGMENT, "shmem_ops", std::nullopt, __FILE__, __LINE__);
    libraries.back().def(kSchema);
    for (const auto key : {c10::DispatchKey::PrivateUse1, c10::DispatchKey::Meta}) {
      libraries.emplace_back(Library::IMPL, "shmem_ops", key, __FILE__, __LINE__);
      libraries.back().impl(kOperator, key == c10::DispatchKey::Meta ? &call_meta : &call);
    }
    // Autocast changes nothing here. Said, because torch.compile does not see the default for an
    // operator that takes an object.
    const auto autocast = c10::DispatchKey::AutocastPrivateUse1;
    libraries.emplace_back(Library::IMPL, "shmem_ops", autocast, __FILE__, __LINE__);
    libraries.back().impl(kOperator, torch::CppFunction::makeFallthrough());
  }
  return libraries;
}();

}  // namespace
