#include "tool/prove/test_judge.h"

#include <fmt/format.h>

namespace shmem_bind::prove {

std::vector<const Variant*> references(const std::vector<Variant>& variants) {
  std::vector<const Variant*> found;
  for (const std::string_view title : {"the begin of the storage",
                                       "nothing is launched",
                                       "leaves with exit code 0",
                                       "the process ends in it",
                                       "check removed"}) {
    for (const Variant& variant : variants) {
      if (variant.row.kind == "binding" && variant.row.state == "killed" &&
          variant.row.title.find(title) != std::string::npos) {
        found.push_back(&variant);
        break;
      }
    }
  }
  return found;
}

void judge_test(verify::Mutant& row, const std::vector<TestRun>& runs, const std::string& drift) {
  // The script says itself which libraries it loads: here that is not asked.
  const Judgement good = judge_end(runs.front().end, runs.front().end.announced);
  if (good.shown == Shown::kUnclear) {
    row.state = "invalid";
    row.by = good.why;
    return;
  }
  if (good.shown == Shown::kFound) {
    row.state = "killed";
    row.by = "the unchanged operator fails: " + good.why;
    return;
  }
  std::string missed;
  for (const TestRun& run : runs) {
    if (!run.wrong.empty() && judge_end(run.end, run.end.announced).shown == Shown::kNothingWrong) {
      missed += (missed.empty() ? "" : "; ") + run.wrong;
    }
  }
  row.state = drift.empty() ? "survived" : "killed";
  const std::string alone = missed.empty()
                                ? "by itself it misses none of the bindings it was tried on"
                                : "by itself it would miss: " + missed;
  row.by = drift.empty() ? alone + "; needed: " + row.by
                         : fmt::format("verify says unverified: {}; {}", drift, alone);
}

}  // namespace shmem_bind::prove
