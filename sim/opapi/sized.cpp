#include <ATen/ops/_unique2.h>

#include "sim/opapi/operator.h"

// Results whose shape depends on data.

ACLNN_UNTRIED(Nonzero, 2, [](In x, SizedOut out) { out.set(x.nonzero()); })
// One row a dimension.
ACLNN_UNTRIED(NonzeroV2, 2, [](In x, SizedOut out) { out.set(x.nonzero().t()); })
ACLNN_UNTRIED(MaskedSelect, 3, [](In x, In mask, SizedOut out) { out.set(x.masked_select(mask)); })
ACLNN_UNTRIED(Unique2,
              7,
              [](In x,
                 bool sorted,
                 bool with_inverse,
                 bool with_counts,
                 SizedOut out,
                 SizedOut inverse,
                 SizedOut counts) {
                const auto [values, places, numbers] =
                    at::_unique2(x, sorted, with_inverse, with_counts);
                out.set(values);
                if (with_inverse) {
                  inverse.set(places);
                }
                if (with_counts) {
                  counts.set(numbers);
                }
              })
