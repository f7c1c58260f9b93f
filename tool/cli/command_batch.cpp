#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/build/plan.h"
#include "tool/cli/batch_table.h"
#include "tool/cli/command.h"
#include "tool/cli/find_operators.h"
#include "tool/cli/verification.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::cli {
namespace {

using Clock = std::chrono::steady_clock;

// One operator on its way; it leaves the way with the first stage that fails.
struct Item {
  BatchRow row;
  Args args;  // as of a `run` of this operator
  Outcome outcome;
  std::optional<Operator> op;
  std::optional<binding::Plan> unchanged;  // there is nothing to generate
  std::string log;                         // all it said
  bool was_verified = false;

  bool goes_on() const { return op && row.state == BatchState::kReady; }
};

std::string first_line(std::string_view text) {
  const auto lines = split_lines(text);
  std::string line(lines.empty() ? "" : trimmed(lines.front()));
  line.erase(0, line.starts_with("shmem-bind: ") ? 12 : 0);
  return line;
}

// The stages of `run` over many operators: what operators of one tree share is built once, between
// their kernels and their verdicts.
class Batch {
 public:
  Batch(Environment& environment, const std::vector<std::string>& folders)
      : environment_(environment) {
    for (const std::string& folder : folders) {
      items_.push_back(
          {{folder, BatchState::kReady, "", 0, {}, {}}, environment.args, {}, {}, {}, {}, false});
      items_.back().args.path = folder;
      items_.back().args.junit.clear();  // one file for all
    }
  }

  Outcome run() {
    admit_all();
    generate_all();
    if (!environment_.args.dry_run &&
        std::any_of(items_.begin(), items_.end(), [](const Item& i) { return i.goes_on(); })) {
      build_and_verify_all();
    }
    return finish();
  }

 private:
  // An environment in which a stage sees this operator's arguments.
  Environment environment_of(Item& item) {
    return {
        item.args, environment_.files, environment_.runner, environment_.progress, [](Outcome&) {}};
  }

  void announce(const Item& item, std::string_view stage) {
    const auto number = &item - items_.data() + 1;
    environment_.progress(
        fmt::format("[{}/{}] {}: {}", number, items_.size(), item.row.folder, stage));
  }

  // What a stage said goes to standard error at once: the result of a batch is its table.
  void settle(Item& item) {
    Outcome& outcome = item.outcome;
    const bool failed = outcome.exit_code != kExitDone;
    const bool is_unverified = outcome.state == verify::name_of(verify::State::kUnverified);
    if ((failed || is_unverified) && item.row.state == BatchState::kReady) {
      item.row.state = is_unverified ? BatchState::kUnverified : BatchState::kFailed;
      item.row.exit_code = outcome.exit_code;
      item.row.why = outcome.why.empty() ? first_line(outcome.messages) : outcome.why;
    }
    if (environment_.args.dry_run) {
      text_ += outcome.text;
      outcome.text.clear();
    }
    const bool tell_all = failed || environment_.args.verbose;
    const std::string said = outcome.messages + (tell_all ? outcome.text : "");
    item.log += said;
    outcome.text.clear();
    outcome.messages.clear();
    Outcome talk;
    talk.messages = said;
    environment_.flush(talk);
  }

  void skip(Item& item, const std::string& why) {
    item.row.state = BatchState::kSkipped;
    item.row.why = why;
  }

  // Reading, and seeing that nothing has changed, needs no other operator.
  void read_all() {
    std::atomic<size_t> next = 0;
    const auto read_some = [&] {
      for (size_t i = next++; i < items_.size(); i = next++) {
        Environment environment = environment_of(items_[i]);
        items_[i].op = open_gated(environment, items_[i].outcome);
        if (items_[i].op) {
          items_[i].unchanged = unchanged_plan(*items_[i].op, environment_.files);
        }
      }
    };
    std::vector<std::jthread> others;
    const size_t threads = std::min<size_t>(std::thread::hardware_concurrency(), items_.size());
    for (size_t i = 1; i < threads; ++i) {
      others.emplace_back(read_some);
    }
    read_some();
  }

  void admit_all() {
    read_all();
    for (Item& item : items_) {
      if (!item.op && item.outcome.exit_code == kExitDone) {
        skip(item, item.outcome.why);
        item.outcome.text.clear();  // its row says it
      }
      if (item.op) {
        options_fit(item.args, item.op->contract, item.outcome);
        item.row.pes = planned_pes(item.args, item.op->contract);
      }
      settle(item);
    }
  }

  void generate_all() {
    for (Item& item : items_) {
      if (item.goes_on()) {
        announce(item, "generate");
        Environment environment = environment_of(item);
        if (item.unchanged) {
          tell_plan(item.args, *item.unchanged, item.outcome);
        } else {
          generate(environment, *item.op, item.outcome);
        }
        settle(item);
      }
    }
  }

  void build_and_verify_all() {
    Outcome found;
    const auto target = open_target(environment_, found);
    for (Item& item : items_) {
      if (item.goes_on() && !target) {
        item.outcome.exit_code = found.exit_code;
        item.outcome.why = first_line(found.messages);
        settle(item);
      }
    }
    log_ += found.messages;
    environment_.flush(found);
    if (target) {
      build_kernels(*target);
      build_bindings(*target);
      verify_all(*target);
    }
  }

  // Runs one stage of one operator and adds its time.
  template <class Stage>
  void timed(Item& item, const Stage& stage) {
    const Clock::time_point start = Clock::now();
    Environment environment = environment_of(item);
    stage(environment);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    item.row.seconds = item.row.seconds.value_or(0) + seconds.count();
    settle(item);
  }

  void build_kernels(const build::Target& target) {
    for (Item& item : items_) {
      if (item.goes_on()) {
        announce(item, "build");
        timed(item, [&](Environment& environment) {
          build_operator(environment, *item.op, target, item.outcome, build::Part::kKernel);
        });
      }
    }
  }

  // Operators of the tree whose kernel there is none of: the binding lists them and cannot link.
  std::string without_kernel(const std::string& tree) const {
    std::vector<std::string> names;
    for (const Item& item : items_) {
      if (item.op && item.op->tree == tree && item.row.exit_code == kExitBuild &&
          !environment_.files.exists(tree + "/" +
                                     binding::places_of(item.op->contract).kernel_library)) {
        names.push_back(item.op->contract.op_name);
      }
    }
    return names.empty() ? "" : "; it holds " + joined(names, ", ") + ", whose kernel is not built";
  }

  // One binding per tree: it holds all operators of the tree, so its failure is theirs.
  void build_bindings(const build::Target& target) {
    std::map<std::string, std::vector<Item*>> trees;
    for (Item& item : items_) {
      if (item.goes_on()) {
        trees[item.op->tree].push_back(&item);
      }
    }
    for (const auto& [tree, items] : trees) {
      environment_.progress(
          fmt::format("{}: build the binding of {} operators", tree, items.size()));
      Outcome outcome;
      build_operator(environment_, *items[0]->op, target, outcome, build::Part::kBinding);
      trees_.push_back(JsonObject(outcome.json).add("tree", tree).text());
      const std::string why = first_line(outcome.messages) + without_kernel(tree);
      for (Item* item : items) {
        if (outcome.exit_code != kExitDone) {
          item->outcome.exit_code = outcome.exit_code;
          item->outcome.why = why;
          settle(*item);
        }
      }
      log_ += outcome.messages;
      outcome.text.clear();
      environment_.flush(outcome);
    }
  }

  void verify_all(const build::Target& target) {
    for (Item& item : items_) {
      if (item.goes_on()) {
        announce(item, "verify");
        item.was_verified = true;
        timed(item, [&](Environment& environment) {
          verify_unless_unchanged(environment, *item.op, target, item.outcome);
        });
        item.row.state = item.goes_on() ? BatchState::kVerified : item.row.state;
      }
    }
  }

  std::string row_json(const Item& item) const {
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
  std::vector<std::string> not_on_8_pes() const {
    std::vector<std::string> folders;
    for (const Item& item : items_) {
      const auto& pes = item.row.pes;
      if (item.row.state == BatchState::kUnverified && item.op->contract.pe_counts.allows(8) &&
          std::find(pes.begin(), pes.end(), 8) == pes.end()) {
        folders.push_back(item.row.folder);
      }
    }
    return folders;
  }

  // What became of an operator: its verdict, or why there is none.
  verify::Verdict verdict_of(const Item& item) const {
    if (item.was_verified) {
      const auto text = environment_.files.read(record(*item.op, kVerdict));
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

  void write_suites(Outcome& outcome) const {
    const std::string& path = environment_.args.junit;
    if (path.empty() || environment_.args.dry_run) {
      return;
    }
    std::vector<verify::Verdict> verdicts;
    for (const Item& item : items_) {
      verdicts.push_back(verdict_of(item));
    }
    const auto written = environment_.files.write(path, verify::to_junit(verdicts), false);
    if (!written.ok()) {
      fail(outcome, written.failure());
    }
  }

  Outcome finish() {
    Outcome outcome;
    std::vector<BatchRow> rows;
    std::vector<std::string> entries;
    for (const Item& item : items_) {
      rows.push_back(item.row);
      entries.push_back(row_json(item));
    }
    outcome.exit_code = worst_exit_code(rows);
    outcome.text = text_ + batch_table(rows);
    outcome.messages = environment_.args.json ? log_ : "";
    std::vector<std::string> open;
    for (const Item& item : items_) {
      if (item.row.state == BatchState::kUnverified && item.row.exit_code != kExitDone) {
        open.push_back(fmt::format("{} ({})", item.row.folder, item.row.why));
      }
    }
    if (!open.empty()) {
      outcome.messages += fmt::format(
          "not complete, though nothing failed: {}\n    way out: batch without options that leave "
          "out PEs or launchers\n",
          joined(open, "; "));
    }
    outcome.json.add_value("operators", json_list(entries))
        .add_value("bindings", json_list(trees_))
        .add_value("not_on_8_pes", json_texts(not_on_8_pes()));
    write_suites(outcome);
    return outcome;
  }

  Environment& environment_;
  std::vector<Item> items_;
  std::vector<std::string> trees_;  // JSON of each binding's build
  std::string text_;                // of a --dry-run
  std::string log_;                 // what belongs to no single operator
};

}  // namespace

Outcome command_batch(Environment& environment) {
  Outcome outcome;
  const std::string& folder = environment.args.path;
  if (!environment.files.is_folder(folder)) {
    fail(outcome, {fmt::format("{} is no folder; give one that holds operators", folder)});
    return outcome;
  }
  const std::vector<std::string> folders = find_operators(folder, environment.files);
  if (folders.empty()) {
    fail(outcome,
         {fmt::format("there is no operator at or below {}: an operator is a folder with "
                      "docs/design.md; shmem-bind init makes one",
                      folder)});
    return outcome;
  }
  return Batch(environment, folders).run();
}

}  // namespace shmem_bind::cli
