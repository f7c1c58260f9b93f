#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/isclose.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/ops/where.h>

#include "sim/opapi/operator.h"

// Element by element. The signatures here and in the other tables: public op-plugin configuration,
// confirmed by running torch_npu 2.13.0 (tests/torch/test_operators.py calls each).

#define UNARY(NAME, EXPRESSION) ACLNN(NAME, 2, [](In x, Out out) { out.set(EXPRESSION); })

UNARY(Abs, x.abs())
UNARY(BitwiseNot, x.bitwise_not())
UNARY(Ceil, x.ceil())
UNARY(Cos, x.cos())
UNARY(Erf, x.erf())
UNARY(Erfinv, x.erfinv())
UNARY(Exp, x.exp())
UNARY(Exp2, x.exp2())
UNARY(Floor, x.floor())
UNARY(Gelu, at::gelu(x))
UNARY(IsFinite, at::isfinite(x))
UNARY(IsInf, x.isinf())
UNARY(Log, x.log())
UNARY(Log2, x.log2())
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
UNARY(Tan, x.tan())
UNARY(Tanh, x.tanh())
UNARY(Trunc, x.trunc())

#define BINARY(NAME, EXPRESSION) ACLNN(NAME, 3, [](In x, In y, Out out) { out.set(EXPRESSION); })

BINARY(Atan2, x.atan2(y))
BINARY(BitwiseAndTensor, x.bitwise_and(y))
BINARY(BitwiseOrTensor, x.bitwise_or(y))
BINARY(BitwiseXorTensor, x.bitwise_xor(y))
BINARY(Div, x.div(y))
BINARY(EqTensor, x.eq(y))
BINARY(FloorDivide, x.floor_divide(y))
BINARY(GeTensor, x.ge(y))
BINARY(GtTensor, x.gt(y))
BINARY(LeTensor, x.le(y))
BINARY(LeftShift, at::bitwise_left_shift(x, y))
BINARY(LogicalAnd, x.logical_and(y))
BINARY(LogicalOr, x.logical_or(y))
BINARY(LogicalXor, x.logical_xor(y))
BINARY(LtTensor, x.lt(y))
BINARY(Maximum, at::maximum(x, y))
BINARY(Minimum, at::minimum(x, y))
BINARY(Mul, x.mul(y))
BINARY(NeTensor, x.ne(y))
BINARY(PowTensorTensor, x.pow(y))
BINARY(RemainderTensorTensor, x.remainder(y))
BINARY(RightShift, at::bitwise_right_shift(x, y))

// One truth value for all elements, which only data can tell.
ACLNN_UNTRIED(Equal, 3, [](In x, In y, Out out) { out.tensor().fill_(x.equal(y)); })

#define WITH_NUMBER(NAME, EXPRESSION) \
  ACLNN(NAME, 3, [](In x, Number y, Out out) { out.set(EXPRESSION); })

WITH_NUMBER(BitwiseAndScalar, x.bitwise_and(y))
WITH_NUMBER(BitwiseOrScalar, x.bitwise_or(y))
WITH_NUMBER(BitwiseXorScalar, x.bitwise_xor(y))
WITH_NUMBER(ClampMax, x.clamp_max(y))
WITH_NUMBER(ClampMin, x.clamp_min(y))
WITH_NUMBER(Divs, x.div(y))
WITH_NUMBER(EqScalar, x.eq(y))
WITH_NUMBER(FloorDivides, x.floor_divide(y))
WITH_NUMBER(GeScalar, x.ge(y))
WITH_NUMBER(GtScalar, x.gt(y))
WITH_NUMBER(LeScalar, x.le(y))
WITH_NUMBER(LeftShifts, at::bitwise_left_shift(x, y))
WITH_NUMBER(LtScalar, x.lt(y))
WITH_NUMBER(Muls, x.mul(y))
WITH_NUMBER(NeScalar, x.ne(y))
WITH_NUMBER(PowTensorScalar, x.pow(y))
WITH_NUMBER(RemainderTensorScalar, x.remainder(y))
WITH_NUMBER(RightShifts, at::bitwise_right_shift(x, y))

ACLNN(Add, 4, [](In x, In y, Number alpha, Out out) { out.set(x.add(y, alpha)); })
ACLNN(Sub, 4, [](In x, In y, Number alpha, Out out) { out.set(x.sub(y, alpha)); })
ACLNN(Adds, 4, [](In x, Number y, Number alpha, Out out) { out.set(x.add(y, alpha)); })
ACLNN(Subs, 4, [](In x, Number y, Number alpha, Out out) { out.set(x.sub(y, alpha)); })
ACLNN(Rsubs, 4, [](In x, Number y, Number alpha, Out out) { out.set(at::rsub(x, y, alpha)); })
ACLNN(Addcmul, 5, [](In x, In first, In second, Number value, Out out) {
  out.set(x.addcmul(first, second, value));
})
ACLNN(Addcdiv, 5, [](In x, In first, In second, Number value, Out out) {
  out.set(x.addcdiv(first, second, value));
})
ACLNN(Lerps, 4, [](In x, In end, Number weight, Out out) { out.set(x.lerp(end, weight)); })
ACLNN(ForeachAddListV2, 4, [](Ins xs, Ins ys, Number alpha, Outs outs) {
  TORCH_CHECK(xs.size() == ys.size() && xs.size() == outs.size(),
              "lists of ",
              xs.size(),
              ", ",
              ys.size(),
              " and ",
              outs.size(),
              " tensors");
  for (size_t i = 0; i < xs.size(); ++i) {
    outs[i].set(xs[i].add(ys[i], alpha));
  }
})

namespace shmem_sim::opapi {

// DivMod's mode as ATen names it.
static std::optional<c10::string_view> rounding(int32_t mode) {
  switch (mode) {
    case 0:
      return std::nullopt;
    case 1:
      return "trunc";
    case 2:
      return "floor";
    default:
      TORCH_CHECK(false, "mode ", mode, " is none of 0 (exact), 1 (trunc), 2 (floor)");
  }
}

}  // namespace shmem_sim::opapi

ACLNN(DivMod, 4, [](In x, In y, int32_t mode, Out out) { out.set(x.div(y, rounding(mode))); })
ACLNN(DivMods, 4, [](In x, Number y, int32_t mode, Out out) { out.set(x.div(y, rounding(mode))); })

ACLNN(Clamp, 4, [](In x, MaybeNumber low, MaybeNumber high, Out out) {
  out.set(x.clamp(low, high));
})
ACLNN(ClampTensor, 4, [](In x, MaybeIn low, MaybeIn high, Out out) { out.set(x.clamp(low, high)); })
ACLNN(IsClose, 6, [](In x, In y, double relative, double absolute, bool equal_nan, Out out) {
  out.set(at::isclose(x, y, relative, absolute, equal_nan));
})
ACLNN(GeluV2, 3, [](In x, int64_t mode, Out out) {
  TORCH_CHECK(mode == 0 || mode == 1, "mode ", mode, " is neither 0 (erf) nor 1 (tanh)");
  out.set(at::gelu(x, mode == 1 ? "tanh" : "none"));
})
ACLNN(GeluBackward, 3, [](In gradient, In x, Out out) { out.set(at::gelu_backward(gradient, x)); })
ACLNN(GeluBackwardV2, 4, [](In gradient, In x, const std::string& approximate, Out out) {
  out.set(at::gelu_backward(gradient, x, approximate));
})
ACLNN(SWhere, 4, [](In condition, In x, In y, Out out) { out.set(at::where(condition, x, y)); })
ACLNN(ThresholdBackward, 4, [](In gradient, In x, Number threshold, Out out) {
  out.set(at::threshold_backward(gradient, x, threshold));
})
