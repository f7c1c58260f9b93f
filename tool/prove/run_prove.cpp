#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tool/base/text.h"
#include "tool/prove/test_judge.h"
#include "tool/prove/workshop.h"

namespace shmem_bind::prove {
namespace {

constexpr int64_t kShortestWaitMs = 2000;
constexpr int64_t kShortestDeadlineS = 30;
constexpr double kPatience = 4;  // times what the unchanged operator took

bool is_wanted(const verify::Mutant& row, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& word) {
           return word == row.kind || word == row.id;
         });
}

class Prover {
 public:
  Prover(const contract::Contract& contract, const Options& options, const Surroundings& around)
      : contract_(contract),
        options_(options),
        around_(around),
        workshop_(contract, around),
        probes_(probes_of(contract)) {}

  Proof run() {
    const auto start = std::chrono::steady_clock::now();
    proof_.op = contract_.op_name;
    proof_.contract = contract_.digest;
    proof_.sources = verify::sources_digest(contract_, around_.tree, around_.files);
    proof_.is_whole = options_.only.empty();
    collect();
    if (proof_.problems.empty() && build() && unchanged_passes(false)) {
      run_variants();
      run_tests();
    }
    for (Variant& variant : variants_) {
      if (is_wanted(variant.row, options_.only)) {
        if (variant.row.state.empty()) {
          variant.row.state = "invalid";
          variant.row.by = "not run";
        }
        proof_.mutants.push_back(variant.row);
      }
    }
    proof_.interrupted = workshop_.interrupted();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    proof_.seconds = seconds.count();
    return std::move(proof_);
  }

 private:
  void collect() {
    const Texts texts = workshop_.texts();
    variants_ = binding_variants(contract_, texts, provoked_by(probes_));
    for (auto& more : {test_variants(texts), kernel_variants(texts)}) {
      variants_.insert(variants_.end(), more.begin(), more.end());
    }
    for (Variant& variant : variants_) {
      // Bindings are built together whatever is wanted: the library stays the same.
      if (variant.row.kind != "binding" && !is_wanted(variant.row, options_.only)) {
        variant.row.state = "not wanted";
      }
    }
    check_names();
  }

  void check_names() {
    for (const std::string& word : options_.only) {
      if (std::none_of(variants_.begin(), variants_.end(), [&](const Variant& variant) {
            return variant.row.kind == word || variant.row.id == word;
          })) {
        proof_.problems.push_back(fmt::format(
            "--only {}: neither binding, test or kernel, nor the id of a variant", word));
      }
    }
  }

  bool build() {
    around_.progress(fmt::format("{} variants: building the bindings", variants_.size()));
    if (!workshop_.build_bindings(variants_, proof_.problems) || workshop_.interrupted()) {
      return false;
    }
    around_.progress("building the kernels");
    workshop_.build_kernels(variants_);
    workshop_.write_tests(variants_);
    return !workshop_.interrupted();
  }

  bool is_open(const Variant& variant) const {
    return variant.row.state.empty() && is_wanted(variant.row, options_.only);
  }

  Run run_of(const Variant& variant, const verify::Job& job) const {
    Run run;
    const verify::Mutant& row = variant.row;
    run.variant = row.id;
    run.job = job;
    run.script = workshop_.script_of("");
    run.binding = row.kind == "binding" ? row.id : "";
    run.kernel = row.kind == "kernel" ? row.id : "";
    run.key = fmt::format("{}_{:.12}", row.id.empty() ? "unchanged" : row.id, digest(job.name));
    if (const auto usual = usual_.find(job.name); usual != usual_.end()) {
      run.wait_ms =
          std::max(kShortestWaitMs, static_cast<int64_t>(usual->second * kPatience * 1e3));
      run.deadline_s = kShortestDeadlineS + static_cast<int64_t>(usual->second * kPatience);
    }
    return run;
  }

  // A run that shows nothing is repeated once, alone: a machine under load is no finding.
  Ends run_twice(const std::vector<std::vector<Run>>& lists) {
    Ends ends = workshop_.run(lists, proof_.problems);
    std::vector<Run> again;
    for (const std::vector<Run>& list : lists) {
      for (const Run& run : list) {
        if (ends.contains(run.key) &&
            judge_end(ends.at(run.key), run.announces()).shown == Shown::kUnclear) {
          again.push_back(run);
          again.back().key += "_again";
        }
      }
    }
    if (!again.empty() && !workshop_.interrupted()) {
      for (auto& [key, end] : workshop_.run({again}, proof_.problems)) {
        ends[key.substr(0, key.rfind("_again"))] = std::move(end);
      }
    }
    return ends;
  }

  // A variant that is found means nothing when the unchanged operator is found too.
  bool unchanged_passes(bool with_more_pes) {
    const Variant unchanged;
    std::vector<std::vector<Run>> lists(2);
    size_t count = 0;
    for (const auto& [probe, jobs] : probes_) {
      if ((probe == Probe::kMore) == with_more_pes) {
        for (const verify::Job& job : jobs) {
          lists[count++ % 2].push_back(run_of(unchanged, job));
        }
      }
    }
    around_.progress(fmt::format("the unchanged operator: {} jobs", count));
    const Ends ends = run_twice(lists);
    for (const std::vector<Run>& list : lists) {
      for (const Run& run : list) {
        const auto end = ends.find(run.key);
        const Judgement judgement =
            judge_end(end == ends.end() ? End{} : end->second, run.announces());
        if (judgement.shown != Shown::kNothingWrong) {
          proof_.problems.push_back(fmt::format(
              "the unchanged operator does not pass {}: {}", run.job.name, judgement.why));
        } else {
          usual_[run.job.name] = end->second.result.seconds;
        }
      }
    }
    return proof_.problems.empty();
  }

  void run_variants() {
    size_t begin = 0;
    for (const size_t size : kRoundSizes) {
      if (workshop_.interrupted() || !run_round(begin, size)) {
        return;
      }
      begin += size;
    }
    for (Variant& variant : variants_) {
      if (is_open(variant) && variant.row.kind != "test" && !workshop_.interrupted()) {
        variant.row.state = variant.equivalent.empty() ? "survived" : "equivalent";
        variant.row.by = variant.equivalent.empty() ? variant.row.by : variant.equivalent;
      }
    }
  }

  // The next `size` jobs of every variant that is not found yet.
  bool run_round(size_t begin, size_t size) {
    std::vector<std::vector<Run>> lists(2);
    size_t count = 0;
    bool with_more_pes = false;
    for (const Variant& variant : variants_) {
      if (!is_open(variant) || variant.row.kind == "test") {
        continue;
      }
      const std::vector<verify::Job> jobs = jobs_for(variant, probes_);
      for (size_t i = begin; i < std::min(begin + size, jobs.size()); ++i) {
        lists[count % 2].push_back(run_of(variant, jobs[i]));
        with_more_pes = with_more_pes || jobs[i].pes != jobs.front().pes;
      }
      ++count;
    }
    if (lists[0].empty() && lists[1].empty()) {
      return true;
    }
    around_.progress(fmt::format("{} variants are left", count));
    if (with_more_pes && !unchanged_passes(true)) {
      return false;
    }
    settle(lists, run_twice(lists));
    return true;
  }

  void settle(const std::vector<std::vector<Run>>& lists, const Ends& ends) {
    std::map<std::string, std::string> unclear;
    for (const std::vector<Run>& list : lists) {
      for (const Run& run : list) {
        const auto end = ends.find(run.key);
        const Judgement judgement =
            judge_end(end == ends.end() ? End{} : end->second, run.announces());
        Variant& variant = by_id(run.variant);
        variant.row.seconds += end == ends.end() ? 0 : end->second.result.seconds;
        if (judgement.shown == Shown::kFound && variant.row.state.empty()) {
          variant.row.state = "killed";
          variant.row.by = fmt::format("{}: {}", run.job.name, judgement.why);
          found_by_[run.variant] = run.job;
        } else if (judgement.shown == Shown::kUnclear) {
          unclear[run.variant] = fmt::format("{}: {}", run.job.name, judgement.why);
        }
      }
    }
    for (const auto& [id, why] : unclear) {
      if (Variant& variant = by_id(id); variant.row.state.empty()) {
        variant.row.state = "invalid";
        variant.row.by = why;
      }
    }
  }

  Variant& by_id(const std::string& id) {
    return *std::find_if(
        variants_.begin(), variants_.end(), [&](const Variant& v) { return v.row.id == id; });
  }

  // Each wrong test runs the unchanged operator, and bindings that a sound test finds.
  void run_tests() {
    const std::vector<const Variant*> bad = references(variants_);
    std::vector<std::vector<Run>> lists;
    for (const Variant& variant : variants_) {
      if (!is_open(variant) || variant.row.kind != "test" || workshop_.interrupted()) {
        continue;
      }
      std::vector<Run> runs = {run_of(variant, probes_.at(Probe::kFirst).front())};
      for (const Variant* reference : bad) {
        runs.push_back(run_of(*reference,
                              found_by_.contains(reference->row.id)
                                  ? found_by_.at(reference->row.id)
                                  : probes_.at(Probe::kFirst).front()));
      }
      for (Run& run : runs) {
        run.key = variant.row.id + "_" + run.key;
        run.script = workshop_.script_of(variant.row.id);
        run.variant = variant.row.id;
      }
      lists.push_back(std::move(runs));
    }
    if (lists.empty()) {
      return;
    }
    around_.progress(fmt::format("{} wrong tests", lists.size()));
    const Ends ends = workshop_.run(lists, proof_.problems);
    for (const std::vector<Run>& runs : lists) {
      Variant& variant = by_id(runs.front().variant);
      std::vector<TestRun> seen;
      for (size_t i = 0; i < runs.size(); ++i) {
        const auto end = ends.find(runs[i].key);
        seen.push_back(
            {i == 0 ? "" : bad[i - 1]->row.title, end == ends.end() ? End{} : end->second});
        variant.row.seconds += seen.back().end.result.seconds;
      }
      judge_test(variant.row, seen, workshop_.drift_of(variant.row.id));
    }
  }

  const contract::Contract& contract_;
  const Options& options_;
  const Surroundings& around_;
  Workshop workshop_;
  Probes probes_;
  std::vector<Variant> variants_;
  std::map<std::string, double> usual_;          // job -> seconds of the unchanged operator
  std::map<std::string, verify::Job> found_by_;  // variant -> what found it
  Proof proof_;
};

}  // namespace

Proof run_prove(const contract::Contract& contract,
                const Options& options,
                const Surroundings& around) {
  return Prover(contract, options, around).run();
}

}  // namespace shmem_bind::prove
