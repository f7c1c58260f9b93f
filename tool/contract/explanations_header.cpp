#include "tool/contract/errors.h"
#include "tool/contract/explanation_tables.h"

namespace shmem_bind::contract {
namespace {

constexpr Explanation kHeaderTable[] = {
    {&kNoHeader,
     "The declaration of the launch function says what the binding must pass; it is "
     "parsed, never guessed.",
     kInFolder,
     R"~(custom-ops/copy_rows/
  docs/design.md
  src/kernel.cpp)~",
     R"~(custom-ops/copy_rows/
  docs/design.md
  src/copy_rows_kernel.h
  src/kernel.cpp)~"},
    {&kHeaderError,
     "A declaration that does not compile here would not compile in the binding. Vendor "
     "headers are replaced by stubs, and headers beside it may be included.",
     kInHeader,
     "                      uint8_t* output, heap_t* gva, int64_t elements, int32_t magic);",
     "                      uint8_t* output, uint8_t* gva, int64_t elements, int32_t magic);"},
    {&kNoEntry,
     "The binding calls this function. It is aclshmem_<op>, <op>_kernel or <op>_demo, the "
     "only host function, or the one that is named.",
     kInDesign,
     "  entry: Kernels::copy_row_kernel",
     "  entry: Kernels::copy_rows_kernel"},
    {&kSeveralEntries,
     "Overloads of one name are told apart by the types of their parameters.",
     kInDesign,
     "  entry: copy_rows_kernel",
     R"~(  entry: "copy_rows_kernel(uint32_t, void*, ...)")~"},
    {&kUnplacedArgument,
     "Between several possibilities shmem-bind asks instead of guessing: a wrong pointer "
     "would be found on the device at best.",
     kInDesign,
     R"~(  arguments: {gva: state, elements: "numel(input)"})~",
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch})~"},
    {&kUnusedTensor,
     "A tensor that the kernel never sees is neither read nor written, so one of the two "
     "files is wrong.",
     kInHeader,
     "void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr,",
     "void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input,"},
    {&kBadArgument,
     "The names are the parameters' of the declaration, and a tensor fits a pointer, an "
     "expression a number.",
     kInDesign,
     R"~(  arguments: {gva: state, elements: "numel(input)", magik: epoch})~",
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch})~"},
    {&kNoEpoch,
     "Signals stay in symmetric memory from one call to the next. Without the call's "
     "number a wait can be satisfied by the call before.",
     kInDesign,
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: "1"})~",
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch})~"},
    {&kTemplateDispatch,
     "The binding instantiates the template for each dtype; a plain function can only "
     "take one.",
     kInHeader,
     "void copy_rows_kernel(",
     R"~(template <class T>
void copy_rows_kernel()~"},
    {&kNoStateSize,
     "The state is allocated by the binding, so its size must be known to it.",
     kInDesign,
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch})~",
     R"~(  arguments: {gva: state, elements: "numel(input)", magic: epoch}
  state: "4096 * n_pes")~"},
    {&kUnusedState,
     "Symmetric memory would be allocated that the kernel is never told of.",
     kInDesign,
     R"~(  arguments: {elements: "numel(input)", magic: epoch}
  state: "4096 * n_pes")~",
     R"~(  arguments: {elements: "numel(input)", magic: epoch})~"},
    {&kNoStream,
     "Without the current stream the kernel would run beside the work that its inputs "
     "come from.",
     kInHeader,
     "void copy_rows_kernel(uint32_t block_dim, uint64_t fftsAddr, uint8_t* input,",
     "void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input,"},
    {&kReturnType,
     "A launch is asynchronous: a return value would say nothing about it, and nobody "
     "would look.",
     kInHeader,
     "int copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input,",
     "void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input,"},
    {&kTemplateParameters,
     "The one thing that varies with the call is the dtype; fix the others in the launch "
     "function.",
     kInHeader,
     "template <class T, int N>",
     "template <class T>"},
    {&kDeviceFunction,
     "Device code is launched by host code, with <<<...>>>; the binding calls the host "
     "function that does.",
     kInHeader,
     "__aicore__ void copy_rows_kernel(",
     "void copy_rows_kernel("},
    {&kParameterType,
     "A class would need its own header and rules for its members; pass its values one by "
     "one.",
     kInHeader,
     "                      uint8_t* output, uint8_t* gva, int64_t elements, int32_t magic, Tiling "
     "tiling);",
     "                      uint8_t* output, uint8_t* gva, int64_t elements, int32_t magic);"},
};

}  // namespace

std::span<const Explanation> header_explanations() {
  return kHeaderTable;
}

}  // namespace shmem_bind::contract
