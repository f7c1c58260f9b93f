#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/index.h>
#include <ATen/ops/stack.h>

#include "sim/opapi/operator.h"

// Rearranging and indexing.

ACLNN(Cat, 3, [](Ins list, int64_t dim, Out out) { out.set(at::cat(list, dim)); })
ACLNN(Stack, 3, [](Ins list, int64_t dim, Out out) { out.set(at::stack(list, dim)); })
ACLNN(Flip, 3, [](In x, Ints dims, Out out) { out.set(x.flip(dims)); })
ACLNN(Roll, 4, [](In x, Ints shifts, Ints dims, Out out) { out.set(x.roll(shifts, dims)); })
ACLNN(Repeat, 3, [](In x, Ints repeats, Out out) { out.set(x.repeat(repeats)); })
// The int64_t before the output is the size of the result's dimension.
ACLNN(RepeatInterleaveIntWithDim, 5, [](In x, int64_t repeats, int64_t dim, int64_t, Out out) {
  out.set(x.repeat_interleave(repeats, dim));
})
ACLNN(Tril, 3, [](In x, int64_t diagonal, Out out) { out.set(x.tril(diagonal)); })
ACLNN(Triu, 3, [](In x, int64_t diagonal, Out out) { out.set(x.triu(diagonal)); })
ACLNN(ConstantPadNd, 4, [](In x, Ints pad, Number value, Out out) {
  out.set(at::constant_pad_nd(x, pad, value));
})

ACLNN(IndexSelect, 4, [](In x, int64_t dim, In index, Out out) {
  out.set(x.index_select(dim, index));
})
ACLNN(Embedding, 3, [](In weight, In indices, Out out) { out.set(at::embedding(weight, indices)); })
ACLNN(Gather, 4, [](In x, int64_t dim, In index, Out out) { out.set(x.gather(dim, index)); })

namespace shmem_sim::opapi {

// Scatter's `reduce`: 0 replaces.
static const char* reduction(int64_t reduce) {
  TORCH_CHECK(reduce == 1 || reduce == 2,
              "reduce ",
              reduce,
              " is none of 0 (replace), 1 (add), 2 (multiply)");
  return reduce == 1 ? "add" : "multiply";
}

// Dimensions that are not indexed come as null or as empty tensors of one dimension.
static c10::List<std::optional<at::Tensor>> index_list(Ins list) {
  c10::List<std::optional<at::Tensor>> result;
  for (const at::Tensor& item : list) {
    const bool given = item.defined() && !(item.dim() == 1 && item.numel() == 0);
    result.push_back(given ? std::optional<at::Tensor>(item) : std::nullopt);
  }
  return result;
}

}  // namespace shmem_sim::opapi

ACLNN(Scatter, 6, [](In x, int64_t dim, In index, In source, int64_t reduce, Out out) {
  out.set(reduce == 0 ? x.scatter(dim, index, source)
                      : x.scatter(dim, index, source, reduction(reduce)));
})
ACLNN(ScatterValue, 6, [](In x, int64_t dim, In index, Number value, int64_t reduce, Out out) {
  out.set(reduce == 0 ? x.scatter(dim, index, value)
                      : x.scatter(dim, index, value, reduction(reduce)));
})
ACLNN(ScatterAdd, 5, [](In x, int64_t dim, In index, In source, Out out) {
  out.set(x.scatter_add(dim, index, source));
})
ACLNN(Index, 3, [](In x, Ins indices, Out out) { out.set(at::index(x, index_list(indices))); })
ACLNN(IndexPutImpl, 5, [](Out self, Ins indices, In value, bool accumulate, bool) {
  self.tensor().index_put_(index_list(indices), value, accumulate);
})
