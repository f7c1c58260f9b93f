#include <ATen/ops/bincount.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "sim/opapi/operator.h"

// Reductions, scans, sorting.

namespace shmem_sim::opapi {

// An empty list of dimensions means all of them.
static at::OptionalIntArrayRef all_or(Ints dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

}  // namespace shmem_sim::opapi

ACLNN(Max, 2, [](In x, Out out) { out.set(x.max()); })
ACLNN(Min, 2, [](In x, Out out) { out.set(x.min()); })
ACLNN(Any, 4, [](In x, Ints dims, bool keep, Out out) { out.set(x.any(all_or(dims), keep)); })
ACLNN(All, 4, [](In x, Ints dims, bool keep, Out out) { out.set(x.all(all_or(dims), keep)); })
ACLNN(Amax, 4, [](In x, Ints dims, bool keep, Out out) { out.set(x.amax(dims, keep)); })
ACLNN(Amin, 4, [](In x, Ints dims, bool keep, Out out) { out.set(x.amin(dims, keep)); })
ACLNN(ArgMax, 4, [](In x, int64_t dim, bool keep, Out out) { out.set(x.argmax(dim, keep)); })
ACLNN(ArgMin, 4, [](In x, int64_t dim, bool keep, Out out) { out.set(x.argmin(dim, keep)); })
ACLNN(MaxDim, 5, [](In x, int64_t dim, bool keep, Out out, Out indices) {
  const auto [values, places] = x.max(dim, keep);
  out.set(values);
  indices.set(places);
})
ACLNN(MinDim, 5, [](In x, int64_t dim, bool keep, Out out, Out indices) {
  const auto [values, places] = x.min(dim, keep);
  out.set(values);
  indices.set(places);
})

ACLNN(Mean, 5, [](In x, Ints dims, bool keep, Type type, Out out) {
  out.set(x.mean(all_or(dims), keep, type));
})
ACLNN(ReduceSum, 5, [](In x, Ints dims, bool keep, Type type, Out out) {
  out.set(x.sum(all_or(dims), keep, type));
})
ACLNN(Prod, 3, [](In x, Type type, Out out) { out.set(x.prod(type)); })
ACLNN(ProdDim, 5, [](In x, int64_t dim, bool keep, Type type, Out out) {
  out.set(x.prod(dim, keep, type));
})
ACLNN(Cumsum, 4, [](In x, int64_t dim, Type type, Out out) { out.set(x.cumsum(dim, type)); })
ACLNN(Std, 5, [](In x, Ints dims, int64_t correction, bool keep, Out out) {
  out.set(x.std(all_or(dims), std::optional<at::Scalar>(correction), keep));
})
ACLNN(VarCorrection, 5, [](In x, Ints dims, int64_t correction, bool keep, Out out) {
  out.set(x.var(all_or(dims), std::optional<at::Scalar>(correction), keep));
})
ACLNN(LinalgVectorNorm, 6, [](In x, Number order, Ints dims, bool keep, Type type, Out out) {
  out.set(at::linalg_vector_norm(x, order, all_or(dims), keep, type));
})
ACLNN(Histc, 5, [](In x, int64_t bins, Number low, Number high, Out out) {
  out.set(x.histc(bins, low, high));
})
// The number of bins is in the data; torch_npu asks Min and Max first and makes the output to fit.
ACLNN_UNTRIED(Bincount, 4, [](In x, MaybeIn weights, int64_t least, Out out) {
  out.set(at::bincount(x.flatten(), weights, least));
})

ACLNN(Sort, 6, [](In x, bool stable, int64_t dim, bool descending, Out values, Out indices) {
  const auto [sorted, places] = x.sort(std::optional<bool>(stable), dim, descending);
  values.set(sorted);
  indices.set(places);
})
// The last int64_t before the outputs is 1 in every call seen.
ACLNN(
    TopkV2,
    8,
    [](In x, int64_t k, int64_t dim, bool largest, bool sorted, int64_t, Out values, Out indices) {
      const auto [best, places] = x.topk(k, dim, largest, sorted);
      values.set(best);
      indices.set(places);
    })
