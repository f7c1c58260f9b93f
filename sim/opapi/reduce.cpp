#include <ATen/ops/_unique2.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "sim/opapi/executor.h"

// Reductions, scans, sorting. A list of dimensions that is empty means all of them.

namespace {

using namespace shmem_sim::opapi;  // NOLINT(google-build-using-namespace)
using at::Tensor;
using Dims = std::vector<int64_t>;

at::OptionalIntArrayRef some(const Dims& dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

#define OVER_DIMS(NAME, EXPRESSION)                                           \
  ACLNN(NAME, (T self, IA dims, bool keep, T out), (self, dims, keep, out), { \
    const Tensor a = tensor(self);                                            \
    const Dims d = ints(dims);                                                \
    const Tensor o = tensor(out);                                             \
    return Work{[=](const View& v) {                                          \
      const Tensor x = v(a);                                                  \
      v(o).copy_(EXPRESSION);                                                 \
    }};                                                                       \
  })

OVER_DIMS(Any, d.empty() ? x.any() : x.any(some(d), keep))
OVER_DIMS(All, d.empty() ? x.all() : x.all(some(d), keep))
OVER_DIMS(Amax, x.amax(d, keep))
OVER_DIMS(Amin, x.amin(d, keep))

#define OVER_ONE_DIM(NAME, EXPRESSION)                                           \
  ACLNN(NAME, (T self, int64_t dim, bool keep, T out), (self, dim, keep, out), { \
    const Tensor a = tensor(self);                                               \
    const Tensor o = tensor(out);                                                \
    return Work{[=](const View& v) {                                             \
      const Tensor x = v(a);                                                     \
      v(o).copy_(EXPRESSION);                                                    \
    }};                                                                          \
  })

OVER_ONE_DIM(ArgMax, x.argmax(dim, keep))
OVER_ONE_DIM(ArgMin, x.argmin(dim, keep))

#define WITH_INDICES(NAME, EXPRESSION)                                                             \
  ACLNN(                                                                                           \
      NAME, (T self, int64_t dim, bool keep, T out, T indices), (self, dim, keep, out, indices), { \
        const Tensor a = tensor(self);                                                             \
        const Tensor o = tensor(out);                                                              \
        const Tensor i = tensor(indices);                                                          \
        return Work{[=](const View& v) {                                                           \
          const Tensor x = v(a);                                                                   \
          const auto [values, places] = EXPRESSION;                                                \
          v(o).copy_(values);                                                                      \
          v(i).copy_(places);                                                                      \
        }};                                                                                        \
      })

WITH_INDICES(MaxDim, x.max(dim, keep))
WITH_INDICES(MinDim, x.min(dim, keep))

#define TYPED_OVER_DIMS(NAME, WHOLE, SOME)                                                        \
  ACLNN(NAME, (T self, IA dims, bool keep, int32_t type, T out), (self, dims, keep, type, out), { \
    const Tensor a = tensor(self);                                                                \
    const Dims d = ints(dims);                                                                    \
    const at::ScalarType t = scalar_type(type);                                                   \
    const Tensor o = tensor(out);                                                                 \
    return Work{[=](const View& v) {                                                              \
      const Tensor x = v(a);                                                                      \
      v(o).copy_(d.empty() ? WHOLE : SOME);                                                       \
    }};                                                                                           \
  })

TYPED_OVER_DIMS(Mean, x.mean(t), x.mean(some(d), keep, t))
TYPED_OVER_DIMS(ReduceSum, x.sum(t), x.sum(some(d), keep, t))

ACLNN(Prod, (T self, int32_t type, T out), (self, type, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  const at::ScalarType t = scalar_type(type);
  return Work{[=](const View& v) { v(o).copy_(v(x).prod(t)); }};
})

ACLNN(ProdDim,
      (T self, int64_t dim, bool keep, int32_t type, T out),
      (self, dim, keep, type, out),
      {
        const Tensor x = tensor(self);
        const Tensor o = tensor(out);
        const at::ScalarType t = scalar_type(type);
        return Work{[=](const View& v) { v(o).copy_(v(x).prod(dim, keep, t)); }};
      })

ACLNN(Cumsum, (T self, int64_t dim, int32_t type, T out), (self, dim, type, out), {
  const Tensor x = tensor(self);
  const Tensor o = tensor(out);
  const at::ScalarType t = scalar_type(type);
  return Work{[=](const View& v) { v(o).copy_(v(x).cumsum(dim, t)); }};
})

#define WITH_CORRECTION(NAME, EXPRESSION)                        \
  ACLNN(NAME,                                                    \
        (T self, IA dims, int64_t correction, bool keep, T out), \
        (self, dims, correction, keep, out),                     \
        {                                                        \
          const Tensor a = tensor(self);                         \
          const Dims d = ints(dims);                             \
          const Tensor o = tensor(out);                          \
          return Work{[=](const View& v) {                       \
            const Tensor x = v(a);                               \
            const std::optional<at::Scalar> c(correction);       \
            v(o).copy_(EXPRESSION);                              \
          }};                                                    \
        })

WITH_CORRECTION(Std, x.std(some(d), c, keep))
WITH_CORRECTION(VarCorrection, x.var(some(d), c, keep))

ACLNN(LinalgVectorNorm,
      (T self, S order, IA dims, bool keep, int32_t type, T out),
      (self, order, dims, keep, type, out),
      {
        const Tensor x = tensor(self);
        const at::Scalar p = scalar(order);
        const Dims d = ints(dims);
        const at::ScalarType t = scalar_type(type);
        const Tensor o = tensor(out);
        return Work{
            [=](const View& v) { v(o).copy_(at::linalg_vector_norm(v(x), p, some(d), keep, t)); }};
      })

ACLNN(Histc, (T self, int64_t bins, S low, S high, T out), (self, bins, low, high, out), {
  const Tensor x = tensor(self);
  const at::Scalar from = scalar(low);
  const at::Scalar to = scalar(high);
  const Tensor o = tensor(out);
  return Work{[=](const View& v) { v(o).copy_(v(x).histc(bins, from, to)); }, false};
})

ACLNN(Bincount, (T self, T weights, int64_t least, T out), (self, weights, least, out), {
  const Tensor x = tensor(self);
  const auto w = optional_tensor(weights);
  const Tensor o = tensor(out);
  return Work{[=](const View&) { o.copy_(at::bincount(x.flatten(), w, least)); }, false};
})

ACLNN(Sort,
      (T self, bool stable, int64_t dim, bool descending, T values, T indices),
      (self, stable, dim, descending, values, indices),
      {
        const Tensor x = tensor(self);
        const Tensor o = tensor(values);
        const Tensor i = tensor(indices);
        return Work{[=](const View& v) {
          const auto [sorted, places] = v(x).sort(std::optional<bool>(stable), dim, descending);
          v(o).copy_(sorted);
          v(i).copy_(places);
        }};
      })

ACLNN(TopkV2,
      (T self, int64_t k, int64_t dim, bool largest, bool sorted, int64_t, T values, T indices),
      (self, k, dim, largest, sorted, 0, values, indices),
      {
        const Tensor x = tensor(self);
        const Tensor o = tensor(values);
        const Tensor i = tensor(indices);
        return Work{[=](const View& v) {
          const auto [best, places] = v(x).topk(k, dim, largest, sorted);
          v(o).copy_(best);
          v(i).copy_(places);
        }};
      })

// --- results whose size depends on data: written to the start of the buffer, then the view is set
// ---

void write_sized(const std::shared_ptr<Tensor>& view, const Tensor& result) {
  const Tensor target = view->as_strided(result.sizes(), result.contiguous().strides());
  target.copy_(result);
  *view = target;
}

ACLNN(Nonzero, (T self, T out), (self, out), {
  const Tensor x = tensor(self);
  const auto o = out->view;
  return Work{[=](const View&) { write_sized(o, x.nonzero()); }, false};
})

ACLNN(NonzeroV2, (T self, T out), (self, out), {
  const Tensor x = tensor(self);
  const auto o = out->view;
  return Work{[=](const View&) { write_sized(o, x.nonzero().t().contiguous()); }, false};
})

ACLNN(MaskedSelect, (T self, T mask, T out), (self, mask, out), {
  const Tensor x = tensor(self);
  const Tensor m = tensor(mask);
  const auto o = out->view;
  return Work{[=](const View&) { write_sized(o, x.masked_select(m)); }, false};
})

ACLNN(Unique2,
      (T self, bool sorted, bool with_inverse, bool with_counts, T out, T inverse, T counts),
      (self, sorted, with_inverse, with_counts, out, inverse, counts),
      {
        const Tensor x = tensor(self);
        const auto o = out->view;
        const auto i = inverse == nullptr ? nullptr : inverse->view;
        const auto c = counts == nullptr ? nullptr : counts->view;
        return Work{[=](const View&) {
                      const auto [values, places, numbers] =
                          at::_unique2(x, sorted, with_inverse, with_counts);
                      write_sized(o, values);
                      if (with_inverse) {
                        write_sized(i, places);
                      }
                      if (with_counts) {
                        write_sized(c, numbers);
                      }
                    },
                    false};
      })

}  // namespace
