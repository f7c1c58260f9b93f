#include <ATen/ops/addmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/nll_loss_forward.h>

#include "sim/opapi/executor.h"

// Products, normalisation, losses. `cube` (cube math type) chooses a precision on hardware; here
// all is exact.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;

ACLNN(Matmul, (T self, T other, T out, int8_t), (self, other, out, 0), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).matmul(v(y))); }};
})

ACLNN(Mm, (T self, T other, T out, int8_t), (self, other, out, 0), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).mm(v(y))); }};
})

ACLNN(BatchMatMul, (T self, T other, T out, int8_t), (self, other, out, 0), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).bmm(v(y))); }};
})

ACLNN(Addmm,
      (T self, T first, T second, S beta, S alpha, T out, int8_t),
      (self, first, second, beta, alpha, out, 0),
      {
        const Tensor x = tensor(self);
        const Tensor y = tensor(first);
        const Tensor z = tensor(second);
        const at::Scalar b = scalar(beta);
        const at::Scalar a = scalar(alpha);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) { v(o).copy_(at::addmm(v(x), v(y), v(z), b, a)); }};
      })

ACLNN(Convolution,
      (T input,
       T weight,
       T bias,
       IA stride,
       IA padding,
       IA dilation,
       bool transposed,
       IA output_padding,
       int64_t groups,
       T out,
       int8_t),
      (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, out, 0),
      {
        const Tensor x = tensor(input);
        const Tensor w = tensor(weight);
        const auto b = optional_tensor(bias);
        const auto s = ints(stride);
        const auto p = ints(padding);
        const auto d = ints(dilation);
        const auto op = ints(output_padding);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) {
          const auto with_bias = b ? std::optional<Tensor>(v(*b)) : std::nullopt;
          v(o).copy_(at::convolution(v(x), v(w), with_bias, s, p, d, transposed, op, groups));
        }};
      })

ACLNN(Softmax, (T self, int64_t dim, T out), (self, dim, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).softmax(dim)); }};
})

ACLNN(LogSoftmax, (T self, int64_t dim, T out), (self, dim, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).log_softmax(dim)); }};
})

ACLNN(LayerNorm,
      (T input, IA shape, T weight, T bias, double epsilon, T out, T mean, T rstd),
      (input, shape, weight, bias, epsilon, out, mean, rstd),
      {
        const Tensor x = tensor(input);
        const auto n = ints(shape);
        const auto w = optional_tensor(weight);
        const auto b = optional_tensor(bias);
        const Tensor o = tensor(out);
        const Tensor m = tensor(mean);
        const Tensor r = tensor(rstd);
        return Work{[=](const View& v) {
          const auto at_view = [&](const std::optional<Tensor>& t) {
            return t ? std::optional<Tensor>(v(*t)) : std::nullopt;
          };
          const auto [result, means, rstds] =
              at::native_layer_norm(v(x), n, at_view(w), at_view(b), epsilon);
          v(o).copy_(result);
          if (m.defined()) {
            v(m).copy_(means);
          }
          if (r.defined()) {
            v(r).copy_(rstds);
          }
        }};
      })

ACLNN(MseLoss, (T self, T target, int64_t reduction, T out), (self, target, reduction, out), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(target);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::mse_loss(v(x), v(y), reduction)); }};
})

ACLNN(NLLLoss,
      (T self, T target, T weight, int64_t reduction, int64_t ignore, T out, T total),
      (self, target, weight, reduction, ignore, out, total),
      {
        const Tensor x = tensor(self);
        const Tensor y = tensor(target);
        const auto w = optional_tensor(weight);
        const Tensor o = tensor(out);
        const Tensor t = tensor(total);
        return Work{[=](const View& v) {
          const auto with_weight = w ? std::optional<Tensor>(v(*w)) : std::nullopt;
          const auto [loss, sum] = at::nll_loss_forward(v(x), v(y), with_weight, reduction, ignore);
          v(o).copy_(loss);
          v(t).copy_(sum);
        }};
      })

}  // namespace
