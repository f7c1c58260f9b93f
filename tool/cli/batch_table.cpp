#include "tool/cli/batch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"

namespace shmem_bind::cli {
namespace {

constexpr std::array kFromBadToWorst = {0, 14, 10, 11, 12, 13, 2, 1};

std::string summary(const std::vector<BatchRow>& rows) {
  std::vector<std::string> counts;
  for (const BatchState state : {BatchState::kVerified,
                                 BatchState::kReady,
                                 BatchState::kFailed,
                                 BatchState::kUnverified,
                                 BatchState::kSkipped}) {
    const auto count = std::count_if(
        rows.begin(), rows.end(), [state](const BatchRow& row) { return row.state == state; });
    if (count > 0) {
      counts.push_back(fmt::format("{} {}", count, name_of(state)));
    }
  }
  return fmt::format(
      "{} operator{}: {}\n", rows.size(), rows.size() == 1 ? "" : "s", joined(counts, ", "));
}

}  // namespace

std::string_view name_of(BatchState state) {
  switch (state) {
    case BatchState::kReady:
      return "ready";
    case BatchState::kVerified:
      return "verified";
    case BatchState::kFailed:
      return "failed";
    case BatchState::kUnverified:
      return "unverified";
    case BatchState::kSkipped:
      return "skipped";
  }
  return "";
}

std::vector<std::string> texts_of(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const int64_t number : numbers) {
    texts.push_back(std::to_string(number));
  }
  return texts;
}

int worst_exit_code(const std::vector<BatchRow>& rows) {
  const auto rank = [](int code) {
    return std::find(kFromBadToWorst.begin(), kFromBadToWorst.end(), code);
  };
  int worst = 0;
  for (const BatchRow& row : rows) {
    worst = rank(row.exit_code) > rank(worst) ? row.exit_code : worst;
  }
  return worst;
}

std::string batch_table(const std::vector<BatchRow>& rows) {
  size_t width = std::string_view("operator").size();
  for (const BatchRow& row : rows) {
    width = std::max(width, row.folder.size());
  }
  std::string out = fmt::format(
      "{:<{}}  {:<10}  {:<8}  {:>7}  why\n", "operator", width, "state", "PEs", "seconds");
  for (const BatchRow& row : rows) {
    const std::string line = fmt::format("{:<{}}  {:<10}  {:<8}  {:>7}  {}",
                                         row.folder,
                                         width,
                                         name_of(row.state),
                                         row.pes.empty() ? "-" : joined(texts_of(row.pes), ","),
                                         row.seconds ? fmt::format("{:.1f}", *row.seconds) : "-",
                                         row.why);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out + summary(rows);
}

}  // namespace shmem_bind::cli
