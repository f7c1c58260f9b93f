#include "tool/contract/errors.h"
#include "tool/contract/explanation_tables.h"

namespace shmem_bind::contract {
namespace {

constexpr Explanation kValueTable[] = {
    {&kBadName,
     "The name becomes a C++ class, a Python function and file names, so it must be a "
     "word in all of them.",
     kInDesign,
     "  op_name: copy-rows",
     "  op_name: copy_rows"},
    {&kUnknownDtype,
     "Each dtype needs a type in the kernel, in C++ and in torch, a size and a tolerance; "
     "the table has these ten.",
     kInDesign,
     "  dtypes: [int32, float8]",
     "  dtypes: [int32, fp16]"},
    {&kBadExpression,
     "Expressions are evaluated for the checks, in C++ and in Python, so they must be in "
     "the small language that all three know.",
     kInDesign,
     R"~(  block_dim: "8 blocks")~",
     R"~(  block_dim: "8")~"},
    {&kUnknownName,
     "A name without a value would only be found when the operator is called.",
     kInDesign,
     R"~(  block_dim: "min(cores, 8)")~",
     R"~(  block_dim: "8")~"},
    {&kUnboundSymbol,
     "The state is allocated once, collectively, before any tensor is seen: a size that "
     "follows a tensor needs its largest value.",
     kInDesign,
     R"~(  state: "4 * rows * n_pes")~",
     R"~(  max: {rows: 4096}
  state: "4 * rows * n_pes")~"},
    {&kBadPeCounts,
     "The generated test runs on these numbers of PEs and the constructor refuses all "
     "others.",
     kInDesign,
     R"~(  n_pes: "16..1")~",
     R"~(  n_pes: "1..16")~"},
    {&kDuplicateTensor,
     "Names become parameters of compute(). Only a tensor that is read and written stands "
     "in both lists.",
     kInDesign,
     R"~(    - {name: output, dtype: dtype, shape: "[n_pes, rows, cols]", visibility: replicated}
    - {name: output, dtype: dtype, shape: "[rows, cols]", visibility: replicated})~",
     R"~(    - {name: output, dtype: dtype, shape: "[n_pes, rows, cols]", visibility: replicated})~"},
    {&kUnboundShape,
     "Outputs are checked against the inputs of the same call, so each symbol must get "
     "its value from an input.",
     kInDesign,
     R"~(    - {name: output, dtype: dtype, shape: "[n_pes, rows, depth]", visibility: replicated})~",
     R"~(    - {name: output, dtype: dtype, shape: "[n_pes, rows, cols]", visibility: replicated})~"},
    {&kKeywordName,
     "C++ cannot call a parameter by a keyword; messages and Python keep the name.",
     kInDesign,
     R"~(    - {name: default, dtype: dtype, shape: "[rows, cols]", role: payload})~",
     R"~(    - {name: input, dtype: dtype, shape: "[rows, cols]", role: payload})~"},
    {&kBuildModePlace,
     "Scripts, CMake files and the binding name the operator by its place in the tree.",
     kInDesign,
     "  op_root: custom-ops/copy",
     "  op_root: custom-ops/copy_rows"},
    {&kNotYet,
     "The contract is right, but this version cannot make a binding of it that it could "
     "also prove.",
     kInDesign,
     R"~(    - {name: input, dtype: dtype, shape: "[..., cols]", role: payload})~",
     R"~(    - {name: input, dtype: dtype, shape: "[rows, cols]", role: payload})~"},
    {&kBadCase,
     "A case gives the first input its shape, and by it every symbol its value.",
     kInDesign,
     R"~(    - {case: small, shape: "[64]", category: functional})~",
     R"~(    - {case: small, shape: "[64, 32]", category: functional})~"},
    {&kReservedName,
     "The word already means something in expressions and in torch_binding.arguments.",
     kInDesign,
     R"~(    - {name: state, dtype: dtype, shape: "[rows, cols]", role: payload})~",
     R"~(    - {name: input, dtype: dtype, shape: "[rows, cols]", role: payload})~"},
    {&kManyDtypes,
     "half, float16 and fp16 are one dtype; the binding dispatches on it once.",
     kInDesign,
     "  dtypes: [int32, fp16, half]",
     "  dtypes: [int32, fp16]"},
};

}  // namespace

std::span<const Explanation> value_explanations() {
  return kValueTable;
}

}  // namespace shmem_bind::contract
