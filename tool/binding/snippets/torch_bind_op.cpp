// torch.classes.ShmemOps.@@class@@ and torch.ops.shmem_ops.@@op@@.
// The kernel's entry is declared in @@header@@.

@@torch_includes@@
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

@@includes@@

// As in shmem_torch_kernel.h. Said here too, so that an operator that joins the tree is the only
// one that is compiled.
@@entry@@

namespace ShmemOps {

// One thread at a time uses an object: the order of its calls is part of what the PEs agree on.
class @@class@@ : public torch::jit::CustomClassHolder {
 public:
  // Collective: allocates the symmetric state.
  @@class@@() : state_(kName, state_bytes()) {}

  // Collective: every PE calls it with the same shapes, also when there is nothing to do. Enqueues
  // on the current stream and returns; outputs are complete when that stream has reached the next
  // operator.
@@compute@@@@state@@    const int64_t epoch = epoch_.next();
@@same_call@@@@device_checks@@@@checks@@
@@values@@
    // From here on only the contiguous tensors are used: their memory goes to the kernel, and the
    // launch keeps it alive.
@@copies@@    epoch_.advance();
    shmem_ops::launch(kName, [=](void* stream) -> int {
@@kernel@@    });
@@copy_back@@  }

@@close@@
  void close() { state_.close(); }

  std::string get_name() const { return kName; }

 private:
  static constexpr const char* kName = "@@class@@";

@@is_supported@@  // Of this PE; the same on every PE.
  static int64_t state_bytes() {
    shmem_ops::require_initialised(kName);
    const int64_t n_pes = aclshmem_n_pes();
@@state_bytes@@  }

  shmem_ops::OperatorState state_;
  shmem_ops::Epoch epoch_;
};

}  // namespace ShmemOps

@@registration@@
namespace {

constexpr const char* kOperator = "@@op@@";
constexpr const char* kSchema =
@@schema@@
// The functional form: what torch.compile and torch.export see. Outputs are written in place, so
// under Meta there is nothing to compute.
@@operator@@@@forward@@}

@@meta@@
[[maybe_unused]] const auto definitions = [] {
  std::vector<torch::Library> libraries;
  if (shmem_ops_registered_@@class@@) {
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
