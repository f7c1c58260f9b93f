#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randperm.h>

#include "sim/opapi/executor.h"

// Random numbers: a generator made from the seed and offset torch_npu passes, so that the same seed
// gives the same values. The values differ from hardware, as they do between any two devices.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;

at::Generator generator(int64_t seed, int64_t offset) {
  const auto mixed =
      static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(offset);
  return at::make_generator<at::CPUGeneratorImpl>(mixed);
}

ACLNN(InplaceUniform,
      (T self, double from, double to, uint64_t seed, uint64_t offset),
      (self, from, to, seed, offset),
      {
        const Tensor x = tensor(self);
        return Work{
            [=](const View&) {
              x.uniform_(
                  from, to, generator(static_cast<int64_t>(seed), static_cast<int64_t>(offset)));
            },
            false};
      })

ACLNN(
    InplaceNormal,
    (T self, float mean, float deviation, int64_t seed, int64_t offset),
    (self, mean, deviation, seed, offset),
    {
      const Tensor x = tensor(self);
      return Work{[=](const View&) { x.normal_(mean, deviation, generator(seed, offset)); }, false};
    })

ACLNN(InplaceRandom,
      (T self, int64_t from, int64_t to, int64_t seed, int64_t offset),
      (self, from, to, seed, offset),
      {
        const Tensor x = tensor(self);
        return Work{[=](const View&) { x.random_(from, to, generator(seed, offset)); }, false};
      })

ACLNN(InplaceBernoulliTensor,
      (T self, T probability, int64_t seed, int64_t offset),
      (self, probability, seed, offset),
      {
        const Tensor x = tensor(self);
        const Tensor p = tensor(probability);
        return Work{[=](const View&) { x.bernoulli_(p, generator(seed, offset)); }, false};
      })

ACLNN(Randperm, (int64_t count, int64_t seed, int64_t offset, T out), (count, seed, offset, out), {
  const Tensor o = tensor(out);
  return Work{
      [=](const View&) { o.copy_(at::randperm(count, generator(seed, offset), at::kLong)); },
      false};
})

// --- dropout: one bit an element, set where the element is kept ---

Tensor kept(int64_t elements, double p, int64_t seed, int64_t offset) {
  Tensor uniform = at::randperm(0, at::kFloat).resize_({elements});
  uniform.uniform_(0, 1, generator(seed, offset));
  return uniform.ge(p);
}

void pack_bits(const Tensor& bits, const Tensor& mask) {
  const bool* bit = bits.const_data_ptr<bool>();
  auto* byte = mask.data_ptr<uint8_t>();
  mask.zero_();
  for (int64_t i = 0; i < bits.numel(); ++i) {
    byte[i / 8] = static_cast<uint8_t>(byte[i / 8] | (bit[i] ? 1 << (i % 8) : 0));
  }
}

Tensor unpack_bits(const Tensor& mask, int64_t elements) {
  Tensor bits = at::randperm(0, at::kFloat).resize_({elements});
  auto* value = bits.data_ptr<float>();
  const auto* byte = mask.const_data_ptr<uint8_t>();
  for (int64_t i = 0; i < elements; ++i) {
    value[i] = static_cast<float>((byte[i / 8] >> (i % 8)) & 1);
  }
  return bits;
}

Tensor dropped(const Tensor& x, const Tensor& mask, double p) {
  const Tensor keep = unpack_bits(mask, x.numel()).reshape(x.sizes()).to(x.scalar_type());
  return p >= 1 ? x.mul(0) : x.mul(keep).div(1 - p);
}

ACLNN(
    DropoutGenMaskV2,
    (IA shape, double p, int64_t seed, int64_t offset, int32_t, T mask),
    (shape, p, seed, offset, 0, mask),
    {
      int64_t elements = 1;
      for (const int64_t size : ints(shape)) {
        elements *= size;
      }
      const Tensor m = tensor(mask);
      TORCH_CHECK(
          m.numel() * 8 >= elements, "a mask of ", m.numel(), " bytes for ", elements, " elements");
      return Work{[=](const View&) { pack_bits(kept(elements, p, seed, offset), m); }, false};
    })

ACLNN(DropoutDoMask, (T self, T mask, double p, T out), (self, mask, p, out), {
  const Tensor x = tensor(self);
  const Tensor m = tensor(mask);
  const Tensor o = tensor(out);
  return Work{[=](const View&) { o.copy_(dropped(x, m, p)); }, false};
})

ACLNN(DropoutV3,
      (T self, T, double p, int64_t seed, int64_t offset, T out, T mask),
      (self, nullptr, p, seed, offset, out, mask),
      {
        const Tensor x = tensor(self);
        const Tensor o = tensor(out);
        const Tensor m = tensor(mask);
        return Work{[=](const View&) {
                      pack_bits(kept(x.numel(), p, seed, offset), m);
                      o.copy_(dropped(x, m, p));
                    },
                    false};
      })

}  // namespace

// The form of the random functions; both forms are the same here.
extern "C" __attribute__((visibility("default"))) int aclnnSetPytorchRandom(int32_t) {
  return 0;
}
