#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/isclose.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/ops/where.h>

#include "sim/opapi/executor.h"

// Element by element. Signatures: public op-plugin configuration, confirmed by running
// torch_npu 2.13.0.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;

#define UNARY(NAME, EXPRESSION)               \
  ACLNN(NAME, (T self, T out), (self, out), { \
    const Tensor a = tensor(self);            \
    const Tensor o = tensor(out);             \
    return Work{[=](const View& v) {          \
      const Tensor x = v(a);                  \
      v(o).copy_(EXPRESSION);                 \
    }};                                       \
  })

UNARY(Abs, x.abs())
UNARY(Ceil, x.ceil())
UNARY(Cos, x.cos())
UNARY(Erf, x.erf())
UNARY(Exp, x.exp())
UNARY(Floor, x.floor())
UNARY(IsFinite, at::isfinite(x))
UNARY(Log, x.log())
UNARY(LogicalNot, x.logical_not())
UNARY(Neg, x.neg())
UNARY(Reciprocal, x.reciprocal())
UNARY(Relu, x.relu())
UNARY(Round, x.round())
UNARY(Rsqrt, x.rsqrt())
UNARY(Sigmoid, x.sigmoid())
UNARY(Sign, x.sign())
UNARY(Silu, at::silu(x))
UNARY(Sin, x.sin())
UNARY(Sqrt, x.sqrt())
UNARY(Tanh, x.tanh())
UNARY(Gelu, at::gelu(x))
UNARY(BitwiseNot, x.bitwise_not())
UNARY(Tan, x.tan())
UNARY(Trunc, x.trunc())
UNARY(Log2, x.log2())
UNARY(Exp2, x.exp2())
UNARY(Erfinv, x.erfinv())
UNARY(IsInf, x.isinf())
UNARY(Max, x.max())
UNARY(Min, x.min())

#define BINARY(NAME, EXPRESSION)                              \
  ACLNN(NAME, (T self, T other, T out), (self, other, out), { \
    const Tensor a = tensor(self);                            \
    const Tensor b = tensor(other);                           \
    const Tensor o = tensor(out);                             \
    return Work{[=](const View& v) {                          \
      const Tensor x = v(a);                                  \
      const Tensor y = v(b);                                  \
      v(o).copy_(EXPRESSION);                                 \
    }};                                                       \
  })

BINARY(Div, x.div(y))
BINARY(Mul, x.mul(y))
BINARY(Maximum, at::maximum(x, y))
BINARY(Minimum, at::minimum(x, y))
BINARY(EqTensor, x.eq(y))
BINARY(NeTensor, x.ne(y))
BINARY(GtTensor, x.gt(y))
BINARY(GeTensor, x.ge(y))
BINARY(LtTensor, x.lt(y))
BINARY(LeTensor, x.le(y))
BINARY(LogicalAnd, x.logical_and(y))
BINARY(LogicalOr, x.logical_or(y))
BINARY(BitwiseAndTensor, x.bitwise_and(y))
BINARY(BitwiseOrTensor, x.bitwise_or(y))
BINARY(BitwiseXorTensor, x.bitwise_xor(y))
BINARY(PowTensorTensor, x.pow(y))
BINARY(Dot, x.dot(y))
BINARY(LogicalXor, x.logical_xor(y))
BINARY(FloorDivide, x.floor_divide(y))
BINARY(RemainderTensorTensor, x.remainder(y))
BINARY(Mv, x.mv(y))
BINARY(Atan2, x.atan2(y))
BINARY(LeftShift, at::bitwise_left_shift(x, y))
BINARY(RightShift, at::bitwise_right_shift(x, y))

ACLNN(Equal, (T self, T other, T out), (self, other, out), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View&) { o.fill_(x.equal(y)); }, false};
})

#define WITH_SCALAR(NAME, EXPRESSION)                         \
  ACLNN(NAME, (T self, S other, T out), (self, other, out), { \
    const Tensor a = tensor(self);                            \
    const at::Scalar y = scalar(other);                       \
    const Tensor o = tensor(out);                             \
    return Work{[=](const View& v) {                          \
      const Tensor x = v(a);                                  \
      v(o).copy_(EXPRESSION);                                 \
    }};                                                       \
  })

WITH_SCALAR(EqScalar, x.eq(y))
WITH_SCALAR(NeScalar, x.ne(y))
WITH_SCALAR(GtScalar, x.gt(y))
WITH_SCALAR(GeScalar, x.ge(y))
WITH_SCALAR(LtScalar, x.lt(y))
WITH_SCALAR(LeScalar, x.le(y))
WITH_SCALAR(Divs, x.div(y))
WITH_SCALAR(Muls, x.mul(y))
WITH_SCALAR(BitwiseAndScalar, x.bitwise_and(y))
WITH_SCALAR(BitwiseOrScalar, x.bitwise_or(y))
WITH_SCALAR(BitwiseXorScalar, x.bitwise_xor(y))
WITH_SCALAR(FloorDivides, x.floor_divide(y))
WITH_SCALAR(PowTensorScalar, x.pow(y))
WITH_SCALAR(RemainderTensorScalar, x.remainder(y))
WITH_SCALAR(LeftShifts, at::bitwise_left_shift(x, y))
WITH_SCALAR(RightShifts, at::bitwise_right_shift(x, y))
WITH_SCALAR(ClampMin, x.clamp_min(y))
WITH_SCALAR(ClampMax, x.clamp_max(y))

#define WITH_ALPHA(NAME, EXPRESSION)                                          \
  ACLNN(NAME, (T self, T other, S alpha, T out), (self, other, alpha, out), { \
    const Tensor a = tensor(self);                                            \
    const Tensor b = tensor(other);                                           \
    const at::Scalar factor = scalar(alpha);                                  \
    const Tensor o = tensor(out);                                             \
    return Work{[=](const View& v) {                                          \
      const Tensor x = v(a);                                                  \
      const Tensor y = v(b);                                                  \
      v(o).copy_(EXPRESSION);                                                 \
    }};                                                                       \
  })

WITH_ALPHA(Add, x.add(y, factor))
WITH_ALPHA(Sub, x.sub(y, factor))

#define SCALAR_WITH_ALPHA(NAME, EXPRESSION)                                   \
  ACLNN(NAME, (T self, S other, S alpha, T out), (self, other, alpha, out), { \
    const Tensor a = tensor(self);                                            \
    const at::Scalar y = scalar(other);                                       \
    const at::Scalar factor = scalar(alpha);                                  \
    const Tensor o = tensor(out);                                             \
    return Work{[=](const View& v) {                                          \
      const Tensor x = v(a);                                                  \
      v(o).copy_(EXPRESSION);                                                 \
    }};                                                                       \
  })

SCALAR_WITH_ALPHA(Adds, x.add(y, factor))
SCALAR_WITH_ALPHA(Subs, x.sub(y, factor))
SCALAR_WITH_ALPHA(Rsubs, at::rsub(x, y, factor))

#define THREE_TENSORS(NAME, EXPRESSION)                                                         \
  ACLNN(NAME, (T self, T first, T second, S value, T out), (self, first, second, value, out), { \
    const Tensor a = tensor(self);                                                              \
    const Tensor b = tensor(first);                                                             \
    const Tensor c = tensor(second);                                                            \
    const at::Scalar factor = scalar(value);                                                    \
    const Tensor o = tensor(out);                                                               \
    return Work{[=](const View& v) {                                                            \
      const Tensor x = v(a);                                                                    \
      const Tensor y = v(b);                                                                    \
      const Tensor z = v(c);                                                                    \
      v(o).copy_(EXPRESSION);                                                                   \
    }};                                                                                         \
  })

THREE_TENSORS(Addcmul, x.addcmul(y, z, factor))
THREE_TENSORS(Addcdiv, x.addcdiv(y, z, factor))

ACLNN(Lerps, (T self, T end, S weight, T out), (self, end, weight, out), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(end);
  const at::Scalar w = scalar(weight);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).lerp(v(y), w)); }};
})

// mode: 0 true division, 1 truncated, 2 floored.
ACLNN(DivMod, (T self, T other, int32_t mode, T out), (self, other, mode, out), {
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    v(o).copy_(mode == 0 ? v(x).div(v(y)) : v(x).div(v(y), mode == 1 ? "trunc" : "floor"));
  }};
})

ACLNN(DivMods, (T self, S other, int32_t mode, T out), (self, other, mode, out), {
  const Tensor x = tensor(self);
  const at::Scalar y = scalar(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    v(o).copy_(mode == 0 ? v(x).div(y) : v(x).div(y, mode == 1 ? "trunc" : "floor"));
  }};
})

ACLNN(Clamp, (T self, S low, S high, T out), (self, low, high, out), {
  const Tensor x = tensor(self);
  const auto from = optional_scalar(low);
  const auto to = optional_scalar(high);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).clamp(from, to)); }};
})

ACLNN(IsClose,
      (T self, T other, double rtol, double atol, bool equal_nan, T out),
      (self, other, rtol, atol, equal_nan, out),
      {
        const Tensor x = tensor(self);
        const Tensor y = tensor(other);
        const Tensor o = tensor(out);
        return Work{
            [=](const View& v) { v(o).copy_(at::isclose(v(x), v(y), rtol, atol, equal_nan)); }};
      })

ACLNN(GeluV2, (T self, int64_t mode, T out), (self, mode, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::gelu(v(x), mode == 1 ? "tanh" : "none")); }};
})

ACLNN(SWhere, (T condition, T self, T other, T out), (condition, self, other, out), {
  const Tensor c = tensor(condition);
  const Tensor x = tensor(self);
  const Tensor y = tensor(other);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::where(v(c), v(x), v(y))); }};
})

ACLNN(ThresholdBackward,
      (T gradient, T self, S threshold, T out),
      (gradient, self, threshold, out),
      {
        const Tensor g = tensor(gradient);
        const Tensor x = tensor(self);
        const at::Scalar t = scalar(threshold);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) { v(o).copy_(at::threshold_backward(v(g), v(x), t)); }};
      })

ACLNN(ForeachAddListV2, (TL self, TL other, S alpha, TL out), (self, other, alpha, out), {
  const auto xs = tensors(self);
  const auto ys = tensors(other);
  const auto os = tensors(out);
  const at::Scalar factor = scalar(alpha);
  return Work{[=](const View& v) {
    for (size_t i = 0; i < xs.size(); ++i) {
      v(os[i]).copy_(v(xs[i]).add(v(ys[i]), factor));
    }
  }};
})

}  // namespace
