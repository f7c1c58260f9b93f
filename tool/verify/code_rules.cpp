#include "tool/verify/code_rules.h"

#include <array>

#include "tool/base/text.h"

namespace shmem_bind::verify {
namespace {

// A block begins at a line that contains `mark`.
struct CodeRule {
  std::string_view mark;
  std::string_view title;
  std::string_view rule;
};

constexpr std::array kRules = {
    CodeRule{"// Written by shmem-bind",
             "Stamp",
             "Names the tool, the contract's digest and the digest of the text: a hand edit is "
             "recognised and never overwritten."},
    CodeRule{"#include <ATen/core/Tensor.h>",
             "Headers",
             "Only what this file needs; torch_binding.seed_includes takes the long list instead."},
    CodeRule{"// As in shmem_torch_kernel.h",
             "Kernel entry",
             "As the kernel's header declares it; build compares it with the symbols of the kernel "
             "library (H003, H009)."},
    CodeRule{": public torch::jit::CustomClassHolder {",
             "Class",
             "Derived from CustomClassHolder and registered (L002)."},
    CodeRule{"// Collective: allocates the symmetric state",
             "Constructor",
             "Collective: every PE allocates the same bytes at the same time. The state is zeroed "
             "in front of the barrier (L011) and checked for null (L010)."},
    CodeRule{"// Collective: every PE calls it with the same shapes",
             "compute",
             "Outputs first, then inputs, as the contract orders them; enqueues and returns."},
    CodeRule{"epoch_.next()",
             "Call number",
             "Grows by one with each call, so that a signal of an earlier call satisfies no wait "
             "of a later one (L006, H008)."},
    CodeRule{"shmem_ops::check_device(",
             "Checks of the tensors",
             "Device, dtype, rank and shape of each tensor, before anything is enqueued: a wrong "
             "call harms no other PE (L004)."},
    CodeRule{"check_no_internal_overlap(",
             "Overlap",
             "Outputs that overlap themselves or an input would depend on the order of copies; "
             "only pairs in torch_binding.aliases may share memory."},
    CodeRule{"the contract requires",
             "Conditions of the contract",
             "shape_relations and torch_binding.require, in the words of the contract."},
    CodeRule{"block_dim = ",
             "Launch numbers",
             "block_dim and the kernel's arguments by the expressions of the contract; each is "
             "narrowed with a check (N001)."},
    CodeRule{"// From here on only the contiguous tensors",
             "Contiguous memory",
             "The kernel gets the memory of contiguous tensors, at their own offset, never the "
             "begin of the storage (L007, L008, L009). The launch keeps them alive."},
    CodeRule{"epoch_.advance();",
             "Launch",
             "On the current stream, through torch_npu's queue, so that neighbours in Python need "
             "no synchronize (L012). Every dtype of the contract has its branch (L005)."},
    CodeRule{"_dense.is_same(",
             "Copy back",
             "An output that was not contiguous gets its values behind the kernel, on the same "
             "stream."},
    CodeRule{"// Collective, idempotent. Without it",
             "close",
             "Collective and idempotent; the destructor waits for nobody (L013)."},
    CodeRule{"static bool is_supported(", "Dtypes", "Those of interface.dtypes (C014, L005)."},
    CodeRule{"// Of this PE; the same on every PE.",
             "Size of the state",
             "torch_binding.state, evaluated once; unbounded symbols are refused (C017). The "
             "number of PEs is checked against torch_binding.n_pes."},
    CodeRule{"REGISTER_SHMEM_OPS_CLASS(",
             "Registration",
             "torch.classes.ShmemOps.<Op>, once per process (L002)."},
    CodeRule{"constexpr const char* kOperator",
             "Functional form",
             "torch.ops.shmem_ops.<op> with a schema that names what is written, for "
             "torch.compile and torch.export."},
    CodeRule{"[[maybe_unused]] const auto definitions",
             "Dispatch keys",
             "PrivateUse1 runs it, Meta computes nothing, autocast changes nothing."},
};

const CodeRule* rule_at(std::string_view line) {
  for (const CodeRule& rule : kRules) {
    if (line.find(rule.mark) != std::string_view::npos) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<CodeBlock> blocks_of(const std::string& source) {
  std::vector<CodeBlock> blocks;
  const CodeRule* current = nullptr;
  size_t number = 0;
  for (const std::string_view line : split_lines(source)) {
    ++number;
    const CodeRule* rule = rule_at(line);
    if (blocks.empty() || (rule != nullptr && rule != current)) {
      blocks.push_back(
          {number, "", rule == nullptr ? "" : rule->title, rule == nullptr ? "" : rule->rule});
      current = rule;
    }
    blocks.back().code.append(line).append("\n");
  }
  return blocks;
}

}  // namespace shmem_bind::verify
