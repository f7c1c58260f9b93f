#include <ATen/ops/addmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/nll_loss_forward.h>

#include "sim/opapi/operator.h"

// Products, normalisation, losses. The int8_t at the end of products is the cube math type, which
// chooses a precision on hardware; here all is exact.

ACLNN(Matmul, 4, [](In x, In y, Out out, int8_t) { out.set(x.matmul(y)); })
ACLNN(Mm, 4, [](In x, In y, Out out, int8_t) { out.set(x.mm(y)); })
ACLNN(BatchMatMul, 4, [](In x, In y, Out out, int8_t) { out.set(x.bmm(y)); })
ACLNN(Mv, 4, [](In x, In y, Out out, int8_t) { out.set(x.mv(y)); })
ACLNN(Dot, 3, [](In x, In y, Out out) { out.set(x.dot(y)); })
ACLNN(Addmm, 7, [](In x, In left, In right, Number beta, Number alpha, Out out, int8_t) {
  out.set(at::addmm(x, left, right, beta, alpha));
})
ACLNN(Convolution,
      11,
      [](In x,
         In weight,
         MaybeIn bias,
         Ints stride,
         Ints padding,
         Ints dilation,
         bool transposed,
         Ints output_padding,
         int64_t groups,
         Out out,
         int8_t) {
        out.set(at::convolution(
            x, weight, bias, stride, padding, dilation, transposed, output_padding, groups));
      })

ACLNN(Softmax, 3, [](In x, int64_t dim, Out out) { out.set(x.softmax(dim)); })
ACLNN(LogSoftmax, 3, [](In x, int64_t dim, Out out) { out.set(x.log_softmax(dim)); })
ACLNN(LayerNorm,
      8,
      [](In x,
         Ints shape,
         MaybeIn weight,
         MaybeIn bias,
         double epsilon,
         Out out,
         MaybeOut mean,
         MaybeOut rstd) {
        const auto [result, means, rstds] = at::native_layer_norm(x, shape, weight, bias, epsilon);
        out.set(result);
        if (mean) {
          mean->set(means);
        }
        if (rstd) {
          rstd->set(rstds);
        }
      })

ACLNN(MseLoss, 4, [](In x, In target, int64_t reduction, Out out) {
  out.set(at::mse_loss(x, target, reduction));
})
ACLNN(NLLLoss,
      7,
      [](In x, In target, MaybeIn weight, int64_t reduction, int64_t ignore, Out out, Out total) {
        const auto [loss, sum] = at::nll_loss_forward(x, target, weight, reduction, ignore);
        out.set(loss);
        total.set(sum);
      })
