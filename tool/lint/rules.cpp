#include "tool/lint/rules.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "tool/lint/allowance.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

// tests/layout/check_rules.py compares this list with errors.h.
constexpr LintRule kRules[] = {
    {&kNotRead, &check_syntax, "A file that its own language refuses cannot be judged, nor used."},
    {&kNoClass,
     &check_class,
     "Python finds an operator as torch.classes.ShmemOps.<Op>: only a registered class is there."},
    {&kNoManager,
     &check_manager,
     "SHMEM must be started before the first object and ended behind the last, on every PE. "
     "Nothing but a Manager can be asked to."},
    {&kUnchecked,
     &check_tensor_checks,
     "The kernel gets addresses and numbers. A tensor of the CPU, of another dtype or of another "
     "shape makes it write elsewhere, perhaps on another PE."},
    {&kDtypeMissing,
     &check_dispatch,
     "The contract promises the dtype; a call with it ends in an error, or in the branch of "
     "another."},
    {&kNoCount,
     &check_count,
     "The second call finds the signals of the first and does not wait: the right result is luck."},
    {&kStorageBase,
     &check_storage_base,
     "A view such as x[3:] shares the storage of x. Its storage().data() is the first byte of x."},
    {&kNotContiguous,
     &check_contiguous,
     "The kernel walks the memory without gaps. That of a transposed or strided tensor has them."},
    {&kUnusedCopy,
     &check_unused_copy,
     "contiguous() returns another tensor, and leaves its own as it was. Who drops the result has "
     "made no copy."},
    {&kUncheckedMemory,
     &check_allocation,
     "Symmetric memory runs out on one PE first. Null there is a write to address 0, or a PE that "
     "the others wait for."},
    {&kLateZero,
     &check_late_zero,
     "The allocation ends with a barrier. A peer that is through it may signal before the zeroes "
     "come, and its signal is lost."},
    {&kOvertakes,
     &check_stream,
     "torch_npu queues operators on the host. stream(false) does not wait for the queue: a kernel "
     "launched on it may read what an earlier operator has not written."},
    {&kCollectiveDestructor,
     &check_destructor,
     "Python drops objects when it likes, in another order on each PE, and not at all at an error. "
     "The PEs then wait for each other for ever."},
    {&kIgnoredStatus,
     &check_status,
     "What follows runs without SHMEM, or on memory that is not there, and fails where nobody "
     "looks "
     "for the cause."},
    {&kNotLinked,
     &check_links,
     "The library loads only where something else has brought the symbols along."},
    {&kWrongProduct,
     &check_product,
     "Tests and scripts look for the name of the tree's kind. Two kinds under one name load the "
     "wrong one."},
    {&kOwnProject,
     &check_own_project,
     "Each such library has a Manager and a SHMEM state of its own: a process can load only one."},
    {&kNoTest,
     &check_test_exists,
     "A batch is done when the test of every operator has passed on 8 PEs."},
    {&kThinTest,
     &check_test_compares,
     "Without a golden every result passes, and without a seed no failure comes again."},
    {&kOneSeed,
     &check_seed,
     "With equal inputs a kernel that never reads from a peer gives the right output."},
    {&kOnePe, &check_pes, "One PE reads and writes its own memory: no signal, no peer, no race."},
    {&kNoLoad,
     &check_load,
     "A spawned process and torchrun's processes begin without what their parent has loaded."},
    {&kLostGlobal,
     &check_global,
     "A spawned process imports the file under another name: __main__ does not run, and the global "
     "has the value of the file. --pes 2 then starts 2 workers that wait for 8."},
    {&kIgnoredExit,
     &check_exit_codes,
     "join() returns when a worker died, too. The script says that all went well."},
    {&kFixedPort,
     &check_port,
     "Two runs on one machine meet each other's PEs, or the second finds the port taken."},
    {&kShmemFromPython,
     &check_python_calls,
     "Python knows neither the stream nor the order of collective calls that the class keeps."},
    {&kBareCMake,
     &check_documents,
     "The scripts find CANN, SHMEM and Python, build missing kernels first and choose one ABI. "
     "Bare "
     "cmake does none of it."},
    {&kNoReason,
     &check_allowances,
     "Who reads the line next must know why the rule does not hold there."},
    {&kUnusedAllowance,
     nullptr,  // known when all others have looked
     "What was allowed once hides the next fault of that line."},
};

}  // namespace

std::span<const LintRule> all_rules() {
  return kRules;
}

Diagnostics check(const Tree& tree, size_t* allowed) {
  Diagnostics found;
  for (const LintRule& rule : kRules) {
    if (rule.check != nullptr) {
      rule.check(tree, found);
    }
  }
  size_t taken_out = 0;
  std::vector<Diagnostic> list =
      without_allowed(tree, {found.list().begin(), found.list().end()}, taken_out);
  if (allowed != nullptr) {
    *allowed = taken_out;
  }
  const auto key = [](const Diagnostic& item) {
    return std::tuple(item.span.source, item.span.begin, item.rule->code, item.detail);
  };
  std::stable_sort(
      list.begin(), list.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  Diagnostics sorted;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i == 0 || key(list[i - 1]) != key(list[i])) {
      sorted.add(*list[i].rule, list[i].span, list[i].detail);
    }
  }
  return sorted;
}

}  // namespace shmem_bind::lint
