#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linspace.h>

#include "sim/opapi/operator.h"

// What writes its first argument, what copies, and what makes a tensor from nothing.

ACLNN(InplaceZero, 1, [](Out self) { self.tensor().zero_(); })
ACLNN(InplaceOne, 1, [](Out self) { self.tensor().fill_(1); })
ACLNN(InplaceFillScalar, 2, [](Out self, Number value) { self.tensor().fill_(value); })
ACLNN(InplaceFillTensor, 2, [](Out self, In value) {
  TORCH_CHECK(value.numel() == 1, "a value of ", value.numel(), " elements");
  self.tensor().copy_(value);
})
ACLNN(InplaceMaskedFillScalar, 3, [](Out self, In mask, Number value) {
  self.tensor().masked_fill_(mask, value);
})
ACLNN(InplaceMaskedFillTensor, 3, [](Out self, In mask, In value) {
  self.tensor().masked_fill_(mask, value);
})

ACLNN(InplaceAdd, 3, [](Out self, In y, Number alpha) { self.tensor().add_(y, alpha); })
ACLNN(InplaceAdds, 3, [](Out self, Number y, Number alpha) { self.tensor().add_(y, alpha); })
ACLNN(InplaceSub, 3, [](Out self, In y, Number alpha) { self.tensor().sub_(y, alpha); })
ACLNN(InplaceSubs, 3, [](Out self, Number y, Number alpha) { self.tensor().sub_(y, alpha); })
ACLNN(InplaceMul, 2, [](Out self, In y) { self.tensor().mul_(y); })
ACLNN(InplaceMuls, 2, [](Out self, Number y) { self.tensor().mul_(y); })
ACLNN(InplaceDiv, 2, [](Out self, In y) { self.tensor().div_(y); })
ACLNN(InplaceDivs, 2, [](Out self, Number y) { self.tensor().div_(y); })

// Any dtype and layout to any other; every copy, cast, contiguous and clone of torch_npu.
ACLNN(InplaceCopy, 2, [](Out self, In source) { self.tensor().copy_(source); })
ACLNN(Cast, 3, [](In source, Type type, Out out) {
  TORCH_CHECK(out.tensor().scalar_type() == type,
              "asked for ",
              type,
              ", the output is of ",
              out.tensor().scalar_type());
  out.set(source.to(type));
})

ACLNN(Arange, 4, [](Number start, Number end, Number step, Out out) {
  out.set(at::arange(start, end, step, out.tensor().options()));
})
ACLNN(Linspace, 4, [](Number start, Number end, int64_t steps, Out out) {
  out.set(at::linspace(start, end, steps, out.tensor().options()));
})
ACLNN(Eye, 3, [](int64_t rows, int64_t columns, Out out) {
  out.set(at::eye(rows, columns, out.tensor().options()));
})
