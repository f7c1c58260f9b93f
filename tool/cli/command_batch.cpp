#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/build/plan.h"
#include "tool/cli/batch_result.h"
#include "tool/cli/command.h"
#include "tool/cli/find_operators.h"
#include "tool/cli/verification.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::cli {
namespace {

using Clock = std::chrono::steady_clock;

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
        std::any_of(items_.begin(), items_.end(), [](const BatchItem& i) { return i.goes_on(); })) {
      build_and_verify_all();
    }
    return batch_outcome(
        environment_, items_, {std::move(trees_), std::move(text_), std::move(log_)});
  }

 private:
  // An environment in which a stage sees this operator's arguments.
  Environment environment_of(BatchItem& item) {
    return {
        item.args, environment_.files, environment_.runner, environment_.progress, [](Outcome&) {}};
  }

  void announce(const BatchItem& item, std::string_view stage) {
    const auto number = &item - items_.data() + 1;
    environment_.progress(
        fmt::format("[{}/{}] {}: {}", number, items_.size(), item.row.folder, stage));
  }

  // What a stage said goes to standard error at once: the result of a batch is its table.
  void settle(BatchItem& item) {
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

  void skip(BatchItem& item, const std::string& why) {
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
    for (BatchItem& item : items_) {
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
    for (BatchItem& item : items_) {
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
    for (BatchItem& item : items_) {
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
  void timed(BatchItem& item, const Stage& stage) {
    const Clock::time_point start = Clock::now();
    Environment environment = environment_of(item);
    stage(environment);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    item.row.seconds = item.row.seconds.value_or(0) + seconds.count();
    settle(item);
  }

  void build_kernels(const build::Target& target) {
    for (BatchItem& item : items_) {
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
    for (const BatchItem& item : items_) {
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
    std::map<std::string, std::vector<BatchItem*>> trees;
    for (BatchItem& item : items_) {
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
      for (BatchItem* item : items) {
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
    for (BatchItem& item : items_) {
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

  Environment& environment_;
  std::vector<BatchItem> items_;
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
