#pragma once

#include "tool/base/diagnostic.h"

// Every complaint about a contract or a kernel header. A code is never reused; docs/rules.md
// explains each.

namespace shmem_bind::contract {

// --- the document ---
inline constexpr Rule kEncoding{"C001", "the file is not UTF-8 text", "save it as UTF-8"};
inline constexpr Rule kNoBlock{"C002",
                               "no canonical block",
                               "add a fenced block with info string yaml whose top level has "
                               "dsl_version, or meta and interface"};
inline constexpr Rule kTwoBlocks{
    "C003",
    "two canonical blocks",
    "keep one; others may stay as examples without dsl_version, meta and interface"};
inline constexpr Rule kBadYaml{"C004", "the block is not valid YAML", "correct the marked place"};
inline constexpr Rule kDuplicateKey{"C005", "a key stands twice", "keep one of them"};
inline constexpr Rule kUnknownKey{
    "C006", "unknown key", "docs/contract.md lists the keys of this section", Severity::kWarning};
inline constexpr Rule kNoVersion{
    "C007", "dsl_version is missing, read as 0.3", "add dsl_version: \"0.3\"", Severity::kWarning};
inline constexpr Rule kBadVersion{
    "C008", "dsl_version is not known", "this version of the tool knows 0.3"};
inline constexpr Rule kWrongForm{
    "C009", "a value has the wrong form", "docs/contract.md shows the form"};
inline constexpr Rule kMissing{"C010", "something is missing", "add it"};
inline constexpr Rule kPlaceholder{
    "C011", "a placeholder was left", "replace it by the real value"};
inline constexpr Rule kDisagree{"C012", "two places disagree", "make them equal, or remove one"};

// --- values ---
inline constexpr Rule kBadName{"C013",
                               "not a usable name",
                               "letters, digits and '_', a letter first; no C++ or Python keyword"};
inline constexpr Rule kUnknownDtype{
    "C014",
    "dtype is not in the table",
    "int8 uint8 int16 int32 int64 fp16 bf16 fp32 fp64 bool fp8_e4m3fn fp8_e5m2"};
inline constexpr Rule kBadExpression{
    "C015", "not an expression", "docs/contract.md describes the expression language"};
inline constexpr Rule kUnknownName{
    "C016",
    "the expression uses an unknown name",
    "names: n_pes pe block_dim epoch dtype, attributes, shape symbols, tensors"};
inline constexpr Rule kUnboundSymbol{
    "C017",
    "a symbol without a bound",
    "state is evaluated once, at construction: give the largest value in torch_binding.max"};
inline constexpr Rule kBadPeCounts{
    "C018", "n_pes has the wrong form", "\"1..16\", a list, or {multiple_of: 2, max: 8}"};
inline constexpr Rule kDuplicateTensor{
    "C019", "a name is used twice", "names are unique over inputs, outputs and attributes"};
inline constexpr Rule kUnboundShape{
    "C020", "a shape symbol no input binds", "a symbol gets its value from an input's shape"};
inline constexpr Rule kKeywordName{"C021",
                                   "a keyword gets '_' appended in C++",
                                   "the Python name stays as written",
                                   Severity::kNote};
inline constexpr Rule kBuildModePlace{
    "C022",
    "build_mode and op_root disagree with where the operator lies",
    "move it, or correct the contract"};
// C023 said that in-tree operators were neither built nor verified.
inline constexpr Rule kNotYet{
    "C024", "not supported yet", "leave it out, or bind this operator by hand"};
inline constexpr Rule kBadCase{"C025",
                               "a case does not fit the inputs and attributes",
                               "shape: \"[64, 32]\" for the first input, {a: \"[64, 32]\", b: "
                               "\"[5]\"} for several; attrs: {halo: "
                               "2}"};

inline constexpr Rule kNoDesign{
    "C026",
    "the operator has no docs/design.md",
    "write it: its canonical yaml block is the contract (docs/contract.md)"};

inline constexpr Rule kLookAlike{
    "C027", "a full-width character where ASCII is meant", "write the ASCII character"};
inline constexpr Rule kOpenFence{"C028",
                                 "the canonical block is not closed",
                                 "add the closing fence, as long as the opening one"};
inline constexpr Rule kReservedName{
    "C029", "a name that the tool uses itself", "choose another name"};
inline constexpr Rule kManyDtypes{
    "C030", "several spellings of one dtype", "keep one", Severity::kWarning};

// --- the kernel header ---
inline constexpr Rule kNoHeader{
    "H001", "no kernel header", "the entry function is declared in src/<op_name>_kernel.h"};
inline constexpr Rule kHeaderError{
    "H002", "the header does not compile", "correct the marked place"};
inline constexpr Rule kNoEntry{
    "H003", "the header does not declare the entry", "name it in torch_binding.entry"};
inline constexpr Rule kSeveralEntries{
    "H004", "several functions could be the entry", "name one in torch_binding.entry"};
inline constexpr Rule kUnplacedArgument{
    "H005", "nobody says what this parameter receives", "say it in torch_binding.arguments"};
inline constexpr Rule kUnusedTensor{"H006",
                                    "a tensor of the contract reaches no parameter",
                                    "place it in torch_binding.arguments, or remove it"};
inline constexpr Rule kBadArgument{"H007",
                                   "torch_binding.arguments does not fit the header",
                                   "use the parameter names of the declaration"};
inline constexpr Rule kNoEpoch{
    "H008",
    "no parameter receives the epoch",
    "a kernel with signals must be told the call number: arguments: {magic: epoch}",
    Severity::kWarning};
inline constexpr Rule kTemplateDispatch{
    "H009",
    "dispatch and template do not fit",
    "a template entry needs dtypes, a plain function a single dtype"};

inline constexpr Rule kNoStateSize{
    "H010",
    "a parameter receives the state, but nothing says how large it is",
    "torch_binding.state: an expression for its bytes, e.g. \"64 * n_pes\""};
inline constexpr Rule kUnusedState{
    "H011",
    "no parameter receives the state",
    "place it in torch_binding.arguments, or remove torch_binding.state",
    Severity::kWarning};
inline constexpr Rule kNoStream{"H012",
                                "no parameter receives the stream",
                                "the entry takes the stream as void* or aclrtStream"};
inline constexpr Rule kReturnType{"H013",
                                  "the entry returns a value",
                                  "declare it void; the binding would not look at the value"};
inline constexpr Rule kTemplateParameters{"H014",
                                          "the entry has other template parameters than one type",
                                          "declare template <class T>; T is the dtype"};
inline constexpr Rule kDeviceFunction{
    "H015", "the entry is device code", "name the host function that launches it"};
inline constexpr Rule kParameterType{
    "H016",
    "the type of a parameter cannot be bound",
    "numbers, void*, uint8_t*, GM_ADDR and pointers to numbers or T can"};

// --- numbers ---
inline constexpr Rule kNarrowing{
    "N001",
    "a value does not fit the parameter",
    "widen the parameter, or bound the value in torch_binding.require"};
inline constexpr Rule kNoValue{
    "N002", "an expression has no value", "numbers are 64 bits wide, and nothing divides by zero"};
inline constexpr Rule kBadValue{"N003", "a value that cannot be", "correct the expression"};
inline constexpr Rule kCaseRefused{"N004",
                                   "a declared case breaks a condition of the contract",
                                   "change the case, torch_binding.n_pes or the condition"};
inline constexpr Rule kNoGolden{
    "G001",
    "nothing says what the right answer is",
    "torch_binding.golden: a known collective, document, or file.py:function"};
inline constexpr Rule kUnknownGolden{
    "G002",
    "the golden is not known",
    "known: all_gather, all_to_all, broadcast, gather, pairwise_shuffle, permute, scatter, "
    "all_reduce and "
    "reduce_scatter "
    "(of the sum, or with _max or _min); or document; or file.py:function"};
inline constexpr Rule kGoldenMisfit{
    "G003",
    "the golden does not fit the operator",
    "correct the interface, or say the right answer in a `python golden` block"};
inline constexpr Rule kLooseTolerance{
    "G004",
    "the tolerance is not what results are compared by",
    "give rtol and atol, both above 0; the test asks for |a - g| <= the smaller * max(|g|, 1)",
    Severity::kWarning};

}  // namespace shmem_bind::contract
