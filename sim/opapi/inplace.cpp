#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linspace.h>

#include "sim/opapi/executor.h"

// What writes its first argument, and what makes a tensor from nothing.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;

#define IN_PLACE(NAME, EXPRESSION)   \
  ACLNN(NAME, (T self), (self), {    \
    const Tensor a = tensor(self);   \
    return Work{[=](const View& v) { \
      const Tensor x = v(a);         \
      EXPRESSION;                    \
    }};                              \
  })

IN_PLACE(InplaceZero, x.zero_())
IN_PLACE(InplaceOne, x.fill_(1))

#define IN_PLACE_TENSOR(NAME, EXPRESSION)         \
  ACLNN(NAME, (T self, T other), (self, other), { \
    const Tensor a = tensor(self);                \
    const Tensor b = tensor(other);               \
    return Work{[=](const View& v) {              \
      const Tensor x = v(a);                      \
      const Tensor y = v(b);                      \
      EXPRESSION;                                 \
    }};                                           \
  })

IN_PLACE_TENSOR(InplaceMul, x.mul_(y))
IN_PLACE_TENSOR(InplaceDiv, x.div_(y))
IN_PLACE_TENSOR(InplaceCopy, x.copy_(y))

#define IN_PLACE_SCALAR(NAME, EXPRESSION)         \
  ACLNN(NAME, (T self, S other), (self, other), { \
    const Tensor a = tensor(self);                \
    const at::Scalar y = scalar(other);           \
    return Work{[=](const View& v) {              \
      const Tensor x = v(a);                      \
      EXPRESSION;                                 \
    }};                                           \
  })

IN_PLACE_SCALAR(InplaceMuls, x.mul_(y))
IN_PLACE_SCALAR(InplaceDivs, x.div_(y))
IN_PLACE_SCALAR(InplaceFillScalar, x.fill_(y))

#define IN_PLACE_ALPHA(NAME, EXPRESSION)                          \
  ACLNN(NAME, (T self, T other, S alpha), (self, other, alpha), { \
    const Tensor a = tensor(self);                                \
    const Tensor b = tensor(other);                               \
    const at::Scalar factor = scalar(alpha);                      \
    return Work{[=](const View& v) {                              \
      const Tensor x = v(a);                                      \
      const Tensor y = v(b);                                      \
      EXPRESSION;                                                 \
    }};                                                           \
  })

IN_PLACE_ALPHA(InplaceAdd, x.add_(y, factor))
IN_PLACE_ALPHA(InplaceSub, x.sub_(y, factor))

#define IN_PLACE_SCALAR_ALPHA(NAME, EXPRESSION)                   \
  ACLNN(NAME, (T self, S other, S alpha), (self, other, alpha), { \
    const Tensor a = tensor(self);                                \
    const at::Scalar y = scalar(other);                           \
    const at::Scalar factor = scalar(alpha);                      \
    return Work{[=](const View& v) {                              \
      const Tensor x = v(a);                                      \
      EXPRESSION;                                                 \
    }};                                                           \
  })

IN_PLACE_SCALAR_ALPHA(InplaceAdds, x.add_(y, factor))
IN_PLACE_SCALAR_ALPHA(InplaceSubs, x.sub_(y, factor))

IN_PLACE_TENSOR(InplaceFillTensor, x.copy_(y))

ACLNN(InplaceMaskedFillTensor, (T self, T mask, T value), (self, mask, value), {
  const Tensor x = tensor(self);
  const Tensor m = tensor(mask);
  const Tensor y = tensor(value);
  return Work{[=](const View& v) { v(x).masked_fill_(v(m), v(y)); }, false};
})

ACLNN(InplaceMaskedFillScalar, (T self, T mask, S value), (self, mask, value), {
  const Tensor x = tensor(self);
  const Tensor m = tensor(mask);
  const at::Scalar y = scalar(value);
  return Work{[=](const View& v) { v(x).masked_fill_(v(m), y); }};
})

ACLNN(Cast, (T self, int32_t type, T out), (self, type, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  TORCH_CHECK(o.scalar_type() == scalar_type(type),
              "Cast: the output has another dtype than asked for");
  return Work{[=](const View& v) { v(o).copy_(v(x)); }};
})

ACLNN(Arange, (S start, S end, S step, T out), (start, end, step, out), {
  const at::Scalar from = scalar(start);
  const at::Scalar to = scalar(end);
  const at::Scalar by = scalar(step);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    const Tensor target = v(o);
    target.copy_(at::arange(from, to, by, target.options()));
  }};
})

ACLNN(Linspace, (S start, S end, int64_t steps, T out), (start, end, steps, out), {
  const at::Scalar from = scalar(start);
  const at::Scalar to = scalar(end);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    const Tensor target = v(o);
    target.copy_(at::linspace(from, to, steps, target.options()));
  }};
})

ACLNN(Eye, (int64_t rows, int64_t columns, T out), (rows, columns, out), {
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    const Tensor target = v(o);
    target.copy_(at::eye(rows, columns, target.options()));
  }};
})

}  // namespace
