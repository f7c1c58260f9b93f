#include "tool/verify/verdict.h"

#include <algorithm>

#include "tool/base/text.h"

namespace shmem_bind::verify {
namespace {

constexpr size_t kMostCalls = 50;  // that the test reports of one job

// Whether the calls that a failed job lists are all that went wrong with it.
bool is_told_by_calls(const JobResult& result) {
  return result.failure_class == "mismatch" && !result.calls.empty() &&
         result.calls.size() < kMostCalls && result.records == result.expected;
}

Cell::State state_in(const JobResult& result,
                     const std::string& dtype,
                     const std::string& case_name) {
  if (result.passed) {
    return Cell::State::kPassed;
  }
  if (!result.skipped.empty()) {
    return Cell::State::kUnclear;
  }
  const bool failed_here =
      std::any_of(result.calls.begin(), result.calls.end(), [&](const FailedCall& call) {
        return call.dtype == dtype && call.case_name == case_name;
      });
  if (failed_here) {
    return Cell::State::kFailed;
  }
  return is_told_by_calls(result) ? Cell::State::kPassed : Cell::State::kUnclear;
}

std::string first_line(std::string_view text) {
  const auto lines = split_lines(text);
  return lines.empty() ? "" : std::string(lines.front());
}

std::string told(const JobResult& result) {
  if (!result.first_error.empty()) {
    return first_line(result.first_error);
  }
  return result.problems.empty() ? "failed" : first_line(result.problems.front());
}

}  // namespace

std::string_view name_of(State state) {
  switch (state) {
    case State::kVerified:
      return "verified";
    case State::kFailed:
      return "failed";
    case State::kUnverified:
      return "unverified";
    case State::kSkipped:
      return "skipped";
  }
  return "";
}

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::kPassed:
      return "passed";
    case CheckState::kFailed:
      return "failed";
    case CheckState::kOpen:
      return "open";
    case CheckState::kWaived:
      return "waived";
  }
  return "";
}

std::string_view name_of(Cell::State state) {
  switch (state) {
    case Cell::State::kPassed:
      return "passed";
    case Cell::State::kUnclear:
      return "unclear";
    case Cell::State::kFailed:
      return "failed";
  }
  return "";
}

std::vector<Message> reasons(const Verdict& verdict) {
  std::vector<Message> why;
  for (const Check& check : verdict.checks) {
    if (check.state != CheckState::kPassed) {
      why.push_back(check.why);
    }
  }
  return why;
}

std::string headline(const Verdict& verdict, Language language) {
  for (const JobResult& result : verdict.jobs) {
    if (!result.passed && result.skipped.empty()) {
      return result.job.name + ": " + told(result);
    }
  }
  for (const auto* lines : {&verdict.findings, &verdict.problems}) {
    if (!lines->empty()) {
      return first_line(lines->front());
    }
  }
  std::vector<std::string> texts;
  for (const Message& message : reasons(verdict)) {
    texts.push_back(text_of(message, language));
  }
  return joined(texts, "; ");
}

std::vector<Cell> matrix_of(const Verdict& verdict) {
  std::vector<Cell> cells;
  const auto cell_at = [&](int64_t pes, const std::string& dtype, const std::string& name) {
    auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
      return cell.pes == pes && cell.dtype == dtype && cell.case_name == name;
    });
    return found == cells.end()
               ? cells.insert(found, {pes, dtype, name, Cell::State::kPassed, 0, 0})
               : found;
  };
  for (const JobResult& result : verdict.jobs) {
    for (const std::string& dtype : result.job.dtypes) {
      for (const std::string& name : result.job.cases) {
        const auto cell = cell_at(result.job.pes, dtype, name);
        cell->state = std::max(cell->state, state_in(result, dtype, name));
        cell->jobs += 1;
        cell->calls += result.job.calls;
      }
    }
  }
  return cells;
}

}  // namespace shmem_bind::verify
