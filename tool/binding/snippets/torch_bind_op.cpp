// torch.classes.ShmemOps.@@class@@ and torch.ops.shmem_ops.@@op@@. The kernel's entry is declared in @@header@@.

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

class @@class@@ : public torch::jit::CustomClassHolder {
 public:
  // Collective: allocates the symmetric state.
  @@class@@() : state_(kName, state_bytes()) {}

  // Collective: every PE calls it with the same shapes, also when there is nothing to do. Enqueues on the current stream and
  // returns; outputs are complete when that stream has reached the next operator.
  void compute(@@parameters@@) {
    uint8_t* const state = state_.data(kName);
@@checks@@

@@values@@

    // From here on only the contiguous tensors are used: their pointers go to the kernel, and the launch keeps them alive.
@@copies@@
    shmem_ops::launch(kName, [=](void* stream) -> int {
@@dispatch@@
    });
@@copy_back@@
  }

  // Collective, idempotent. Without it Manager.finalize() closes the object; the destructor must not wait for other PEs.
  void close() { state_.close(); }

  std::string get_name() const { return kName; }

 private:
  static constexpr const char* kName = "@@class@@";

  static int64_t state_bytes() {
@@state@@
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

REGISTER_SHMEM_OPS_CLASS(@@class@@, @@registration@@);

namespace {

// The functional form: what torch.compile and torch.export see. Under Meta there is nothing to compute.
void @@op@@(const c10::intrusive_ptr<ShmemOps::@@class@@>& op, @@functional@@) {
  op->compute(@@forward@@);
}

void @@op@@_meta(const c10::intrusive_ptr<ShmemOps::@@class@@>&, @@functional@@) {
  for (const at::Tensor* tensor : std::initializer_list<const at::Tensor*>{@@tensor_addresses@@}) {
    TORCH_CHECK(tensor->defined(), "@@op@@: an argument is not defined");
  }
}

[[maybe_unused]] const auto definitions = [] {
  std::vector<torch::Library> libraries;
  if (shmem_ops_registered_@@class@@) {
    libraries.reserve(3);
    libraries.emplace_back(torch::Library::FRAGMENT, "shmem_ops", std::nullopt, __FILE__, __LINE__)
        .def("@@schema@@");
    libraries.emplace_back(torch::Library::IMPL, "shmem_ops", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__)
        .impl("@@op@@", &@@op@@);
    libraries.emplace_back(torch::Library::IMPL, "shmem_ops", c10::DispatchKey::Meta, __FILE__, __LINE__)
        .impl("@@op@@", &@@op@@_meta);
  }
  return libraries;
}();

}  // namespace
