#pragma once

#include "tool/base/diagnostic.h"

// Every complaint about the files of a binding, written by hand or not. A code is never reused;
// docs/rules.md explains each.

namespace shmem_bind::lint {

inline constexpr Rule kNotRead{
    "L001", "the file is not in its language", "correct the marked place"};

// --- the binding's C++ ---
inline constexpr Rule kNoClass{
    "L002",
    "no class of the operator is registered",
    "derive one from torch::jit::CustomClassHolder and name it in REGISTER_SHMEM_OPS_CLASS"};
inline constexpr Rule kNoManager{
    "L003",
    "the binding has no complete Manager",
    "one class Manager per library with attr_init, finalize, malloc_tensor, malloc_like and "
    "free_tensor"};
inline constexpr Rule kUnchecked{"L004",
                                 "compute() does not check its tensors",
                                 "TORCH_CHECK dtype, device and shape at its begin"};
inline constexpr Rule kDtypeMissing{"L005",
                                    "a dtype of the contract is not dispatched",
                                    "add its branch, or take the dtype out of docs/design.md"};
inline constexpr Rule kNoCount{"L006",
                               "the kernel does not receive the number of the call",
                               "count the calls in a member, and pass it as the kernel's magic"};
inline constexpr Rule kStorageBase{"L007",
                                   "the begin of the storage is taken for the begin of the tensor",
                                   "data_ptr() of the contiguous tensor: it minds the offset"};
inline constexpr Rule kNotContiguous{
    "L008",
    "the memory of a tensor that may have gaps",
    "take the memory of tensor.contiguous(), or TORCH_CHECK(tensor.is_contiguous(), ...)"};
inline constexpr Rule kUnusedCopy{
    "L009",
    "a contiguous copy that the kernel does not get",
    "take the memory of the copy, not of the tensor it was made from"};
inline constexpr Rule kUncheckedMemory{
    "L010",
    "memory that may be null is used unchecked",
    "TORCH_CHECK(pointer != nullptr, ...) behind the allocation"};
inline constexpr Rule kLateZero{"L011",
                                "symmetric memory is zeroed after it was allocated",
                                "aclshmem_calloc: it zeroes in front of its barrier"};
inline constexpr Rule kOvertakes{
    "L012",
    "a stream taken without emptying torch_npu's queue",
    "stream(), or launch inside at_npu::native::OpCommand::RunOpApiV2"};
inline constexpr Rule kCollectiveDestructor{
    "L013", "a destructor waits for other PEs", "move the call into close(), which every PE calls"};
inline constexpr Rule kIgnoredStatus{
    "L014", "a status is not looked at", "compare it with 0, and raise what it says"};

// --- its build ---
inline constexpr Rule kNotLinked{
    "L020",
    "the binding does not link all it uses",
    "target_link_libraries: the kernel's library, torch, torch_npu and shmem"};
inline constexpr Rule kWrongProduct{
    "L021",
    "the library has the wrong name",
    "shmem_custom_ops_torch.so in custom-ops/, aclshmem_torch.so in examples/; PREFIX \"\""};
inline constexpr Rule kOwnProject{
    "L022",
    "an operator has a Torch project of its own",
    "put torch_bind_<op>.cpp into the torch_binding/src that the operators share"};

// --- its test ---
inline constexpr Rule kNoTest{
    "L030", "the operator has no test", "write scripts/torch_test_<op>.py, or generate it"};
inline constexpr Rule kThinTest{"L031",
                                "the test compares nothing it could repeat",
                                "seed the data, compare with a golden, and raise when they differ"};
inline constexpr Rule kOneSeed{
    "L032", "all PEs get the same data", "a seed of each PE's own: manual_seed(42 + pe)"};
inline constexpr Rule kOnePe{"L033",
                             "the test does not run on several PEs",
                             "start --pes workers, 8 by default, or run under torchrun"};
inline constexpr Rule kNoLoad{"L034",
                              "the worker does not load the binding",
                              "call torch.ops.load_library in the function that is the worker"};
inline constexpr Rule kLostGlobal{"L035",
                                  "a spawned worker does not see what is set under __main__",
                                  "pass it to the worker as an argument"};
inline constexpr Rule kIgnoredExit{
    "L036",
    "a worker that fails is not noticed",
    "look at the exit code of every process, and leave with one that is not 0"};
inline constexpr Rule kFixedPort{
    "L037", "the port is fixed", "let the system give a free one: bind to port 0 and pass it on"};
inline constexpr Rule kShmemFromPython{
    "L038", "SHMEM is called from Python", "call it in the class of the operator or in Manager"};

// --- its documents ---
inline constexpr Rule kBareCMake{
    "L040",
    "bare cmake is what the document names first",
    "name scripts/build_torch.sh and scripts/build_kernel.sh, or scripts/build.sh in a SHMEM tree"};

// --- what they allow themselves ---
inline constexpr Rule kNoReason{"L050",
                                "a finding is allowed without a reason, and so it is not",
                                "shmem-bind: allow(L012): why it is right here"};
inline constexpr Rule kUnusedAllowance{
    "L051", "nothing is found that is allowed here", "remove the comment, or its code"};

}  // namespace shmem_bind::lint
