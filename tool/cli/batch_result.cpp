#include "tool/cli/batch_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/cli/verification.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::cli {
namespace {

std::string row_json(const BatchItem& item) {
  return JsonObject()
      .add("folder", item.row.folder)
      .add("state", name_of(item.row.state))
      .add("why", item.row.why)
      .add("exit_code", item.row.exit_code)
      .add_value("pes", json_list(texts_of(item.row.pes)))
      .add_value("seconds", item.row.seconds ? fmt::format("{:.3f}", *item.row.seconds) : "null")
      .add("messages", item.log)
      .add_value("result", item.outcome.json.text())
      .text();
}

// Verified on fewer PEs than the contract allows and a batch asks for.
std::vector<std::string> not_on_8_pes(const std::vector<BatchItem>& items) {
  std::vector<std::string> folders;
  for (const BatchItem& item : items) {
    const auto& pes = item.row.pes;
    if (item.row.state == BatchState::kUnverified && item.op->contract.pe_counts.allows(8) &&
        std::find(pes.begin(), pes.end(), 8) == pes.end()) {
      folders.push_back(item.row.folder);
    }
  }
  return folders;
}

// What became of an operator: its verdict, or why there is none.
verify::Verdict verdict_of(const BatchItem& item, FileSystem& files) {
  if (item.was_verified) {
    const auto text = files.read(record(*item.op, kVerdict));
    if (text.ok()) {
      if (auto verdict = verify::read_verdict(text.value(), kVerdict); verdict.ok()) {
        return std::move(verdict.value());
      }
    }
  }
  verify::Verdict verdict;
  verdict.op = item.op ? item.op->contract.op_name : item.row.folder;
  const bool is_skipped = item.row.state == BatchState::kSkipped;
  verdict.state = is_skipped ? verify::State::kSkipped : verify::State::kFailed;
  verdict.checks = {{"batch",
                     is_skipped ? verify::CheckState::kWaived : verify::CheckState::kFailed,
                     {"batch.stopped", {item.row.why}}}};
  return verdict;
}

void write_suites(const Environment& environment,
                  const std::vector<BatchItem>& items,
                  Outcome& outcome) {
  const std::string& path = environment.args.junit;
  if (path.empty() || environment.args.dry_run) {
    return;
  }
  std::vector<verify::Verdict> verdicts;
  for (const BatchItem& item : items) {
    verdicts.push_back(verdict_of(item, environment.files));
  }
  const auto written = environment.files.write(path, verify::to_junit(verdicts), false);
  if (!written.ok()) {
    fail(outcome, written.failure());
  }
}

// Operators whose verdict is not complete though nothing failed; nothing when there is none.
std::string incomplete(const std::vector<BatchItem>& items) {
  std::vector<std::string> open;
  for (const BatchItem& item : items) {
    if (item.row.state == BatchState::kUnverified && item.row.exit_code != kExitDone) {
      open.push_back(fmt::format("{} ({})", item.row.folder, item.row.why));
    }
  }
  return open.empty()
             ? ""
             : fmt::format(
                   "not complete, though nothing failed: {}\n    way out: batch without options "
                   "that leave "
                   "out PEs or launchers\n",
                   joined(open, "; "));
}

}  // namespace

Outcome batch_outcome(const Environment& environment,
                      const std::vector<BatchItem>& items,
                      const BatchTalk& talk) {
  Outcome outcome;
  std::vector<BatchRow> rows;
  std::vector<std::string> entries;
  for (const BatchItem& item : items) {
    rows.push_back(item.row);
    entries.push_back(row_json(item));
  }
  outcome.exit_code = worst_exit_code(rows);
  outcome.text = talk.text + batch_table(rows);
  outcome.messages = environment.args.json ? talk.log : "";
  outcome.messages += incomplete(items);
  outcome.json.add_value("operators", json_list(entries))
      .add_value("bindings", json_list(talk.trees))
      .add_value("not_on_8_pes", json_texts(not_on_8_pes(items)));
  write_suites(environment, items, outcome);
  return outcome;
}

}  // namespace shmem_bind::cli
