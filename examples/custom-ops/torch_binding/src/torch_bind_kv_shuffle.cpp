// Written by shmem-bind 0.1.0: custom-ops/kv_shuffle/docs/design.md
// contract 105664ba1638fdad, text 632d6967f7300a5e
// torch.classes.ShmemOps.KVShuffle and torch.ops.shmem_ops.kv_shuffle.
// The kernel's entry is declared in kv_shuffle_kernel.h.

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
void aclshmem_kv_shuffle(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* k_cache,
                         uint8_t* v_cache,
                         uint8_t* global_shuffle_table,
                         uint8_t* src_block_table,
                         uint8_t* dst_block_table,
                         uint8_t* gva,
                         int64_t blocks,
                         int64_t block_elements,
                         int64_t moves,
                         int32_t magic);
}  // namespace ShmemKernel

namespace ShmemOps {

// One thread at a time uses an object: the order of its calls is part of what the PEs agree on.
class KVShuffle : public torch::jit::CustomClassHolder {
 public:
  // Collective: allocates the symmetric state.
  KVShuffle() : state_(kName, state_bytes()) {}

  // Collective: every PE calls it with the same shapes, also when there is nothing to do. Enqueues
  // on the current stream and returns; outputs are complete when that stream has reached the next
  // operator.
  void compute(const at::Tensor& k_cache,
               const at::Tensor& v_cache,
               const at::Tensor& global_shuffle_table,
               const at::Tensor& src_block_table,
               const at::Tensor& dst_block_table) {
    uint8_t* const state = state_.data();
    const int64_t epoch = epoch_.next();
    shmem_ops::check_same_call(
        kName, epoch, {k_cache, v_cache, global_shuffle_table, src_block_table, dst_block_table});
    shmem_ops::check_device(k_cache, kName, "k_cache");
    shmem_ops::check_device(v_cache, kName, "v_cache");
    shmem_ops::check_device(global_shuffle_table, kName, "global_shuffle_table");
    shmem_ops::check_device(src_block_table, kName, "src_block_table");
    shmem_ops::check_device(dst_block_table, kName, "dst_block_table");
    const at::ScalarType dtype = k_cache.scalar_type();
    TORCH_CHECK(is_supported(dtype),
                kName,
                ": k_cache has dtype ",
                dtype,
                "; supported: int8, fp16, bf16, fp32");
    shmem_ops::check_dtype(v_cache, kName, "v_cache", dtype);
    shmem_ops::check_dtype(global_shuffle_table, kName, "global_shuffle_table", at::kLong);
    shmem_ops::check_dtype(src_block_table, kName, "src_block_table", at::kLong);
    shmem_ops::check_dtype(dst_block_table, kName, "dst_block_table", at::kLong);
    const int64_t n_pes = aclshmem_n_pes();
    const int64_t element_bytes = static_cast<int64_t>(k_cache.element_size());
    TORCH_CHECK(k_cache.dim() == 4,
                kName,
                ": k_cache must be [blocks, block_size, heads, head_dim], got ",
                k_cache.sizes());
    const int64_t blocks = k_cache.size(0);
    const int64_t block_size = k_cache.size(1);
    const int64_t heads = k_cache.size(2);
    const int64_t head_dim = k_cache.size(3);
    TORCH_CHECK(v_cache.dim() == 4,
                kName,
                ": v_cache must be [blocks, block_size, heads, head_dim], got ",
                v_cache.sizes());
    TORCH_CHECK(global_shuffle_table.dim() == 2,
                kName,
                ": global_shuffle_table must be [n_pes, 2], got ",
                global_shuffle_table.sizes());
    TORCH_CHECK(src_block_table.dim() == 1,
                kName,
                ": src_block_table must be [moves], got ",
                src_block_table.sizes());
    const int64_t moves = src_block_table.size(0);
    TORCH_CHECK(dst_block_table.dim() == 1,
                kName,
                ": dst_block_table must be [moves], got ",
                dst_block_table.sizes());
    shmem_ops::check_shape(v_cache,
                           kName,
                           "v_cache",
                           "[blocks, block_size, heads, head_dim]",
                           {blocks, block_size, heads, head_dim});
    shmem_ops::check_shape(
        global_shuffle_table, kName, "global_shuffle_table", "[n_pes, 2]", {n_pes, 2});
    shmem_ops::check_shape(dst_block_table, kName, "dst_block_table", "[moves]", {moves});
    shmem_ops::check_no_internal_overlap(k_cache, kName, "k_cache");
    shmem_ops::check_no_overlap(k_cache, v_cache, kName, "k_cache", "v_cache");
    shmem_ops::check_no_overlap(
        k_cache, global_shuffle_table, kName, "k_cache", "global_shuffle_table");
    shmem_ops::check_no_overlap(k_cache, src_block_table, kName, "k_cache", "src_block_table");
    shmem_ops::check_no_overlap(k_cache, dst_block_table, kName, "k_cache", "dst_block_table");
    shmem_ops::check_no_internal_overlap(v_cache, kName, "v_cache");
    shmem_ops::check_no_overlap(
        v_cache, global_shuffle_table, kName, "v_cache", "global_shuffle_table");
    shmem_ops::check_no_overlap(v_cache, src_block_table, kName, "v_cache", "src_block_table");
    shmem_ops::check_no_overlap(v_cache, dst_block_table, kName, "v_cache", "dst_block_table");
    // clang-format off
    TORCH_CHECK(
        shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(2, moves), block_size), heads), head_dim), element_bytes) <= 268435456,
        kName,
        ": the contract requires 2 * moves * block_size * heads * head_dim * sizeof(dtype) <= 256 MiB");
    // clang-format on

    // clang-format off
    int64_t block_dim = 0;
    if (shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(2, moves), block_size), heads), head_dim), element_bytes) < 65536) {
      block_dim = 2;
    } else if (shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(shmem_ops::mul(2, moves), block_size), heads), head_dim), element_bytes) < 2097152) {
      block_dim = 8;
    } else {
      block_dim = 16;
    }
    // clang-format on
    TORCH_CHECK(block_dim >= 1, kName, ": block_dim is ", block_dim);
    const auto block_dim_value = shmem_ops::narrow<uint32_t>(block_dim, kName, "block_dim");
    const auto blocks_value = shmem_ops::narrow<int64_t>(blocks, kName, "blocks");
    // clang-format off
    const auto block_elements_value =
        shmem_ops::narrow<int64_t>(shmem_ops::mul(shmem_ops::mul(block_size, heads), head_dim), kName, "block_elements");
    // clang-format on
    const auto moves_value = shmem_ops::narrow<int64_t>(moves, kName, "moves");
    const auto magic_value = shmem_ops::narrow<int32_t>(shmem_ops::mul(epoch, 256), kName, "magic");

    // From here on only the contiguous tensors are used: their memory goes to the kernel, and the
    // launch keeps it alive.
    const at::Tensor k_cache_dense = k_cache.contiguous();
    const at::Tensor v_cache_dense = v_cache.contiguous();
    const at::Tensor global_shuffle_table_dense = global_shuffle_table.contiguous();
    const at::Tensor src_block_table_dense = src_block_table.contiguous();
    const at::Tensor dst_block_table_dense = dst_block_table.contiguous();
    const shmem_ops::Memory k_cache_memory(k_cache_dense);
    const shmem_ops::Memory v_cache_memory(v_cache_dense);
    const shmem_ops::Memory global_shuffle_table_memory(global_shuffle_table_dense);
    const shmem_ops::Memory src_block_table_memory(src_block_table_dense);
    const shmem_ops::Memory dst_block_table_memory(dst_block_table_dense);
    epoch_.advance();
    shmem_ops::launch(kName, [=](void* stream) -> int {
      const auto run = [&]<class T>(std::type_identity<T>) {
        ShmemKernel::aclshmem_kv_shuffle<T>(
            block_dim_value,
            stream,
            util_get_ffts_config(),
            static_cast<uint8_t*>(k_cache_memory.data()),
            static_cast<uint8_t*>(v_cache_memory.data()),
            static_cast<uint8_t*>(global_shuffle_table_memory.data()),
            static_cast<uint8_t*>(src_block_table_memory.data()),
            static_cast<uint8_t*>(dst_block_table_memory.data()),
            state,
            blocks_value,
            block_elements_value,
            moves_value,
            magic_value);
        return 0;
      };
      switch (dtype) {
        case at::kChar:
          return run(std::type_identity<int8_t>{});
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
    if (!k_cache_dense.is_same(k_cache)) {
      k_cache.copy_(k_cache_dense);
    }
    if (!v_cache_dense.is_same(v_cache)) {
      v_cache.copy_(v_cache_dense);
    }
  }

  // Collective, idempotent. Without it Manager.finalize() closes the object; the destructor must
  // not wait for other PEs.
  void close() { state_.close(); }

  std::string get_name() const { return kName; }

 private:
  static constexpr const char* kName = "KVShuffle";

  static bool is_supported(at::ScalarType dtype) {
    switch (dtype) {
      case at::kChar:
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
    TORCH_CHECK(n_pes >= 2 && n_pes <= 8 && n_pes % 2 == 0,
                kName,
                ": ",
                n_pes,
                " PEs; it works with 2..8, a multiple of 2");
    return 2115584;
  }

  shmem_ops::OperatorState state_;
  shmem_ops::Epoch epoch_;
};

}  // namespace ShmemOps

REGISTER_SHMEM_OPS_CLASS(
    KVShuffle,
    (compute, "k_cache", "v_cache", "global_shuffle_table", "src_block_table", "dst_block_table"),
    (close),
    (get_name));

namespace {

constexpr const char* kOperator = "kv_shuffle";
constexpr const char* kSchema =
    "kv_shuffle(__torch__.torch.classes.ShmemOps.KVShuffle op, "
    "Tensor(a!) k_cache, "
    "Tensor(b!) v_cache, "
    "Tensor global_shuffle_table, "
    "Tensor src_block_table, "
    "Tensor dst_block_table) -> ()";

// The functional form: what torch.compile and torch.export see. Outputs are written in place, so
// under Meta there is nothing to compute.
void call(const c10::intrusive_ptr<ShmemOps::KVShuffle>& op,
          at::Tensor k_cache,
          at::Tensor v_cache,
          const at::Tensor& global_shuffle_table,
          const at::Tensor& src_block_table,
          const at::Tensor& dst_block_table) {
  op->compute(k_cache, v_cache, global_shuffle_table, src_block_table, dst_block_table);
}

void call_meta(const c10::intrusive_ptr<ShmemOps::KVShuffle>&,
               at::Tensor,
               at::Tensor,
               const at::Tensor&,
               const at::Tensor&,
               const at::Tensor&) {}

[[maybe_unused]] const auto definitions = [] {
  std::vector<torch::Library> libraries;
  if (shmem_ops_registered_KVShuffle) {
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
