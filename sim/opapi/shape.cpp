#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/index.h>
#include <ATen/ops/stack.h>

#include "sim/opapi/executor.h"

// Rearranging and indexing.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;
using Tensors = std::vector<Tensor>;

Tensors views(const View& v, const Tensors& list) {
  Tensors result;
  for (const Tensor& item : list) {
    result.push_back(v(item));
  }
  return result;
}

ACLNN(Cat, (TL list, int64_t dim, T out), (list, dim, out), {
  const Tensors xs = tensors(list);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::cat(views(v, xs), dim)); }};
})

ACLNN(Stack, (TL list, int64_t dim, T out), (list, dim, out), {
  const Tensors xs = tensors(list);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::stack(views(v, xs), dim)); }};
})

ACLNN(Flip, (T self, IA dims, T out), (self, dims, out), {
  const Tensor x = tensor(self);
  const auto d = ints(dims);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).flip(d)); }};
})

ACLNN(Roll, (T self, IA shifts, IA dims, T out), (self, shifts, dims, out), {
  const Tensor x = tensor(self);
  const auto s = ints(shifts);
  const auto d = ints(dims);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).roll(s, d)); }};
})

ACLNN(Repeat, (T self, IA repeats, T out), (self, repeats, out), {
  const Tensor x = tensor(self);
  const auto r = ints(repeats);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).repeat(r)); }};
})

ACLNN(
    RepeatInterleaveIntWithDim,
    (T self, int64_t repeats, int64_t dim, int64_t, T out),
    (self, repeats, dim, 0, out),
    {
      const Tensor x = tensor(self);
      const Tensor o = tensor(out);
      return Work{[=](const View& v) { v(o).copy_(v(x).repeat_interleave(repeats, dim)); }, false};
    })

ACLNN(Tril, (T self, int64_t diagonal, T out), (self, diagonal, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).tril(diagonal)); }};
})

ACLNN(Triu, (T self, int64_t diagonal, T out), (self, diagonal, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).triu(diagonal)); }};
})

ACLNN(ConstantPadNd, (T self, IA pad, S value, T out), (self, pad, value, out), {
  const Tensor x = tensor(self);
  const auto p = ints(pad);
  const at::Scalar y = scalar(value);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(at::constant_pad_nd(v(x), p, y)); }};
})

ACLNN(IndexSelect, (T self, int64_t dim, T index, T out), (self, dim, index, out), {
  const Tensor x = tensor(self);
  const Tensor i = tensor(index);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).index_select(dim, v(i))); }};
})

ACLNN(Embedding, (T weight, T indices, T out), (weight, indices, out), {
  const Tensor w = tensor(weight);
  const Tensor i = tensor(indices);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) {
    const Tensor target = v(o);
    target.copy_(v(w).index_select(0, v(i).flatten()).reshape(target.sizes()));
  }};
})

ACLNN(Gather, (T self, int64_t dim, T index, T out), (self, dim, index, out), {
  const Tensor x = tensor(self);
  const Tensor i = tensor(index);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).gather(dim, v(i))); }};
})

// reduce: 0 none, 1 add, 2 multiply.
ACLNN(Scatter,
      (T self, int64_t dim, T index, T source, int64_t reduce, T out),
      (self, dim, index, source, reduce, out),
      {
        const Tensor x = tensor(self);
        const Tensor i = tensor(index);
        const Tensor s = tensor(source);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) {
          v(o).copy_(reduce == 0 ? v(x).scatter(dim, v(i), v(s))
                                 : v(x).scatter(dim, v(i), v(s), reduce == 1 ? "add" : "multiply"));
        }};
      })

ACLNN(ScatterValue,
      (T self, int64_t dim, T index, S value, int64_t reduce, T out),
      (self, dim, index, value, reduce, out),
      {
        const Tensor x = tensor(self);
        const Tensor i = tensor(index);
        const at::Scalar y = scalar(value);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) {
          v(o).copy_(reduce == 0 ? v(x).scatter(dim, v(i), y)
                                 : v(x).scatter(dim, v(i), y, reduce == 1 ? "add" : "multiply"));
        }};
      })

ACLNN(ScatterAdd,
      (T self, int64_t dim, T index, T source, T out),
      (self, dim, index, source, out),
      {
        const Tensor x = tensor(self);
        const Tensor i = tensor(index);
        const Tensor s = tensor(source);
        const Tensor o = tensor(out);
        return Work{[=](const View& v) { v(o).copy_(v(x).scatter_add(dim, v(i), v(s))); }};
      })

// An index list; dimensions that are not indexed come as empty tensors.
c10::List<std::optional<Tensor>> index_list(const Tensors& list) {
  c10::List<std::optional<Tensor>> result;
  for (const Tensor& item : list) {
    const bool given = item.defined() && !(item.dim() == 1 && item.numel() == 0);
    result.push_back(given ? std::optional<Tensor>(item) : std::nullopt);
  }
  return result;
}

ACLNN(Index, (T self, TL indices, T out), (self, indices, out), {
  const Tensor x = tensor(self);
  const Tensors is = tensors(indices);
  const Tensor o = tensor(out);
  return Work{[=](const View&) { o.copy_(at::index(x, index_list(is))); }, false};
})

ACLNN(IndexPutImpl,
      (T self, TL indices, T value, bool accumulate, bool),
      (self, indices, value, accumulate, false),
      {
        const Tensor x = tensor(self);
        const Tensors is = tensors(indices);
        const Tensor y = tensor(value);
        return Work{[=](const View&) { x.index_put_(index_list(is), y, accumulate); }, false};
      })

}  // namespace
