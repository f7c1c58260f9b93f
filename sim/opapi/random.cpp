#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randperm.h>

#include "sim/opapi/operator.h"

// Random numbers, from the seed and offset that torch_npu passes: the same seed gives the same
// values. They differ from hardware, as they do between any two kinds of device.

namespace shmem_sim::opapi {

static at::Generator generator(int64_t seed, int64_t offset) {
  const auto mixed =
      static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(offset);
  return at::make_generator<at::CPUGeneratorImpl>(mixed);
}

// Dropout masks hold one bit an element, the lowest first, set where the element is kept.

static void draw_mask(
    int64_t elements, double p, int64_t seed, int64_t offset, const at::Tensor& mask) {
  TORCH_CHECK(p >= 0 && p <= 1, "a probability of ", p);
  const at::Tensor kept = at::rand({elements}, generator(seed, offset)).ge(p);
  const bool* keep = kept.const_data_ptr<bool>();
  mask.zero_();
  auto* byte = mask.data_ptr<uint8_t>();
  for (int64_t i = 0; i < elements; ++i) {
    byte[i / 8] = static_cast<uint8_t>(byte[i / 8] | (static_cast<int>(keep[i]) << (i % 8)));
  }
}

static at::Tensor drop(const at::Tensor& x, const at::Tensor& mask, double p) {
  at::Tensor keep = at::empty(x.sizes(), at::kFloat);
  auto* value = keep.data_ptr<float>();
  const auto* byte = mask.const_data_ptr<uint8_t>();
  for (int64_t i = 0; i < keep.numel(); ++i) {
    value[i] = static_cast<float>((byte[i / 8] >> (i % 8)) & 1);
  }
  return p >= 1 ? x.mul(0) : x.mul(keep.to(x.scalar_type())).div(1 - p);
}

static void require_mask(const at::Tensor& mask, int64_t elements) {
  TORCH_CHECK(
      mask.scalar_type() == at::kByte && mask.is_contiguous() && mask.numel() * 8 >= elements,
      "a mask of ",
      mask.sizes(),
      " ",
      mask.scalar_type(),
      " for ",
      elements,
      " elements: one bit each in uint8");
}

}  // namespace shmem_sim::opapi

ACLNN_UNTRIED(InplaceUniform,
              5,
              [](Out self, double from, double to, int64_t seed, int64_t offset) {
                self.tensor().uniform_(from, to, generator(seed, offset));
              })
ACLNN_UNTRIED(InplaceNormal,
              5,
              [](Out self, float mean, float deviation, int64_t seed, int64_t offset) {
                self.tensor().normal_(mean, deviation, generator(seed, offset));
              })
ACLNN_UNTRIED(InplaceRandom,
              5,
              [](Out self, int64_t from, int64_t to, int64_t seed, int64_t offset) {
                self.tensor().random_(from, to, generator(seed, offset));
              })
ACLNN_UNTRIED(InplaceBernoulliTensor,
              4,
              [](Out self, In probability, int64_t seed, int64_t offset) {
                self.tensor().bernoulli_(probability, generator(seed, offset));
              })
ACLNN_UNTRIED(Randperm, 4, [](int64_t count, int64_t seed, int64_t offset, Out out) {
  out.set(at::randperm(count, generator(seed, offset), at::kLong));
})

// The int32_t is the dtype of the probability on hardware.
ACLNN_UNTRIED(DropoutGenMaskV2,
              6,
              [](Ints shape, double p, int64_t seed, int64_t offset, int32_t, Out mask) {
                const int64_t elements = c10::multiply_integers(shape);
                require_mask(mask.tensor(), elements);
                draw_mask(elements, p, seed, offset, mask.tensor());
              })
ACLNN_UNTRIED(DropoutDoMask, 4, [](In x, In mask, double p, Out out) {
  require_mask(mask, x.numel());
  out.set(drop(x, mask, p));
})
ACLNN_UNTRIED(
    DropoutV3,
    7,
    [](In x, MaybeIn noise_shape, double p, int64_t seed, int64_t offset, Out out, Out mask) {
      TORCH_CHECK(!noise_shape, "a noise shape is not modelled");
      require_mask(mask.tensor(), x.numel());
      draw_mask(x.numel(), p, seed, offset, mask.tensor());
      out.set(drop(x, mask.tensor(), p));
    })

// How hardware draws (as CUDA does, or its own way); here both ways are one.
extern "C" SHMEM_SIM_EXPORT int aclnnSetPytorchRandom(int32_t) {
  return 0;
}
