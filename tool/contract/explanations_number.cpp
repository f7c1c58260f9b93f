#include "tool/contract/errors.h"
#include "tool/contract/explanation_tables.h"

namespace shmem_bind::contract {
namespace {

constexpr Explanation kNumberTable[] = {
    {&kNarrowing,
     "The value is computed with 64 bits and would lose its upper ones in the parameter, "
     "for a large tensor or after many calls.",
     kInHeader,
     "                      uint8_t* output, uint8_t* gva, int elements, int32_t magic);",
     "                      uint8_t* output, uint8_t* gva, int64_t elements, int32_t magic);"},
    {&kNoValue,
     "For one of the declared cases and PE counts the expression divides by zero or "
     "overflows 64 bits. Here: on 1 PE.",
     kInDesign,
     R"~(  block_dim: "8 / (n_pes - 1)")~",
     R"~(  block_dim: "8")~"},
    {&kBadValue,
     "A kernel of no blocks cannot be launched, and a state cannot have less than no "
     "bytes. Here: on 1 PE.",
     kInDesign,
     R"~(  block_dim: "n_pes - 1")~",
     R"~(  block_dim: "n_pes")~"},
    {&kCaseRefused,
     "The generated test runs every case, and compute() would refuse this one. The "
     "condition here is rows % 2 == 0.",
     kInDesign,
     R"~(    - {case: small, shape: "[7, 32]", category: functional})~",
     R"~(    - {case: small, shape: "[64, 32]", category: functional})~"},
    {&kNoGolden,
     "verify compares each result with the right one, computed on the CPU. A known "
     "collective may stand in correctness.oracle.",
     kInDesign,
     "  oracle: every PE gets everything",
     "  oracle: all_gather"},
    {&kUnknownGolden,
     "The answer must be one that the generated test can compute. A block with info "
     "string python golden can say any.",
     kInDesign,
     "  golden: all_gater",
     "  golden: all_gather"},
    {&kGoldenMisfit,
     "A known collective asks for certain tensors, shapes and attributes: broadcast for a root, "
     "all_gather for an output of n_pes times its input.",
     kInDesign,
     "  golden: broadcast",
     "  golden: all_gather"},
    {&kLooseTolerance,
     "Sums of floats are compared by one limit for all sizes of numbers. Without an absolute "
     "tolerance, or with one of 0, it would have to be 0. What is only moved is compared bit by "
     "bit.",
     kInDesign,
     "  oracle: all_reduce\n  tolerance: {rtol: 0.001}",
     "  oracle: all_reduce\n  tolerance: {rtol: 0.001, atol: 0.001}"},
};

}  // namespace

std::span<const Explanation> number_explanations() {
  return kNumberTable;
}

}  // namespace shmem_bind::contract
