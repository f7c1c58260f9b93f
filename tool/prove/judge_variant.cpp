#include "tool/prove/judge_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"

namespace shmem_bind::prove {
namespace {

std::string one_line(const std::string& text) {
  return std::string(split_lines(text + "\n").front());
}

// Every PE was killed from outside, and said nothing itself.
bool was_killed(const verify::JobResult& result) {
  return result.calls.empty() &&
         std::all_of(result.problems.begin(), result.problems.end(), [](const std::string& text) {
           return text.ends_with(" -9") || text.find("没有结果") != std::string::npos;
         });
}

}  // namespace

Judgement judge_end(const End& end, const std::vector<std::string>& expected) {
  if (!end.reported) {
    return {Shown::kUnclear, "the test did not report this run"};
  }
  const std::set<std::string> loaded(end.announced.begin(), end.announced.end());
  if (loaded != std::set<std::string>(expected.begin(), expected.end())) {
    return {Shown::kUnclear,
            fmt::format("loaded was {} instead of {}",
                        loaded.empty() ? "nothing" : joined({loaded.begin(), loaded.end()}, ", "),
                        joined(expected, ", "))};
  }
  const verify::JobResult& result = end.result;
  const auto finding =
      std::find_if(end.findings.begin(), end.findings.end(), [](const std::string& text) {
        return !text.starts_with("peer-lost");  // follows from what another PE did
      });
  if (finding != end.findings.end()) {
    return {Shown::kFound, "simulator: " + one_line(*finding)};
  }
  if (result.passed) {
    return {Shown::kNothingWrong, ""};
  }
  const std::string why = one_line(!result.first_error.empty() ? result.first_error
                                   : result.problems.empty()   ? result.skipped
                                                               : result.problems.front());
  const std::string& kind = result.failure_class;
  if (!result.skipped.empty() || kind.empty() || kind == "timeout" || kind == "environment" ||
      kind == "load" || was_killed(result)) {
    return {Shown::kUnclear, fmt::format("{}: {}", kind.empty() ? "not run" : kind, why)};
  }
  return {Shown::kFound, fmt::format("{}: {}", kind, why)};
}

}  // namespace shmem_bind::prove
