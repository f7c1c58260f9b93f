#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tool/base/text.h"
#include "tool/prove/prove.h"
#include "tool/prove/workshop.h"

namespace shmem_bind::prove {
namespace {

using Json = nlohmann::ordered_json;
using Jobs = std::vector<std::pair<Job, std::string>>;

const std::vector<Probe> kEveryProbe = {Probe::kSmall,
                                        Probe::kWide,
                                        Probe::kSeeds,
                                        Probe::kLarge,
                                        Probe::kRefusals,
                                        Probe::kStream,
                                        Probe::kGuard};

bool is_wanted(const verify::Mutant& row, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& word) {
           return word == row.kind || word == row.id;
         });
}

class Prover {
 public:
  Prover(const contract::Contract& contract, const Options& options, const Surroundings& around)
      : contract_(contract), options_(options), around_(around), workshop_(contract, around) {}

  Proof run() {
    const auto start = std::chrono::steady_clock::now();
    proof_.op = contract_.op_name;
    collect();
    if (workshop_.build_bindings(variants_, proof_.problems)) {
      workshop_.build_kernels(variants_);
      workshop_.write_tests(variants_);
      if (unchanged_passes()) {
        run_variants();
        run_tests();
      }
    }
    for (Variant& variant : variants_) {
      if (is_wanted(variant.row, options_.only)) {
        proof_.mutants.push_back(variant.row);
      }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    proof_.seconds = seconds.count();
    return std::move(proof_);
  }

 private:
  void collect() {
    const Texts texts = workshop_.texts();
    variants_ = binding_variants(contract_, texts);
    for (auto& more : {test_variants(texts), kernel_variants(texts)}) {
      variants_.insert(variants_.end(), more.begin(), more.end());
    }
    for (Variant& variant : variants_) {
      // Bindings are built together whatever is wanted: the library stays the same.
      if (variant.row.kind != "binding" && !is_wanted(variant.row, options_.only)) {
        variant.row.state = "not wanted";
      }
    }
  }

  bool open(const Variant& variant) const {
    return variant.row.state.empty() && is_wanted(variant.row, options_.only);
  }

  // A variant that is found means nothing when the unchanged operator is found too.
  bool unchanged_passes() {
    const Variant unchanged;
    std::vector<Jobs> plans(2);
    size_t count = 0;
    for (const Probe probe : kEveryProbe) {
      for (const Job& job : workshop_.jobs_of(unchanged, probe)) {
        plans[count++ % 2].emplace_back(job, workshop_.own_script());
      }
    }
    size_t seen = 0;
    for (const auto& [key, end] : workshop_.run(plans)) {
      ++seen;
      if (!end.passed) {
        proof_.problems.push_back(
            fmt::format("{}: the unchanged operator fails: {}", key, end.problem));
      }
    }
    if (seen != count) {
      proof_.problems.push_back(
          fmt::format("{} of {} jobs of the unchanged operator were run", seen, count));
    }
    return proof_.problems.empty();
  }

  void run_variants() {
    for (size_t round = 0; round < kEveryProbe.size(); ++round) {
      std::vector<Jobs> plans(2);
      size_t count = 0;
      for (const Variant& variant : variants_) {
        if (open(variant) && variant.row.kind != "test" && round < variant.probes.size()) {
          ++count;
          for (const Job& job : workshop_.jobs_of(variant, variant.probes[round])) {
            plans[count % 2].emplace_back(job, workshop_.own_script());
          }
        }
      }
      if (count > 0) {
        settle(workshop_.run(plans));
      }
    }
    for (Variant& variant : variants_) {
      if (open(variant) && variant.row.kind != "test") {
        variant.row.state = variant.equivalent.empty() ? "survived" : "equivalent";
        variant.row.by = variant.equivalent.empty() ? variant.row.by : variant.equivalent;
      }
    }
  }

  void settle(const std::map<std::string, JobEnd>& ends) {
    for (Variant& variant : variants_) {
      for (const auto& [key, end] : ends) {
        if (!key.starts_with(variant.row.id + "_")) {
          continue;
        }
        variant.row.seconds += end.seconds;
        if (!end.passed && variant.row.state.empty()) {
          variant.row.state = "killed";
          variant.row.by = std::string(split_lines(end.problem + "\n").front());
        }
      }
    }
  }

  // Bindings that a sound test finds: wrong bytes, a wrong order, a wrong exit.
  std::vector<const Variant*> references() const {
    std::vector<const Variant*> found;
    for (const std::string_view title :
         {"the begin of the storage", "frozen at 1", "the process ends in it"}) {
      for (const Variant& variant : variants_) {
        if (variant.row.kind == "binding" && variant.row.title.find(title) != std::string::npos &&
            !variant.texts.empty() && variant.row.state != "invalid" &&
            variant.row.state != "not applicable") {
          found.push_back(&variant);
          break;
        }
      }
    }
    return found;
  }

  void run_tests() {
    const std::vector<const Variant*> bad = references();
    std::vector<Jobs> plans;
    for (const Variant& variant : variants_) {
      if (!open(variant) || variant.row.kind != "test") {
        continue;
      }
      Jobs jobs = {{{"", Probe::kSmall, 0, variant.row.id + "_good", ""},
                    workshop_.script_of(variant.row.id)}};
      jobs.push_back({{"", Probe::kCorrupt, 0, variant.row.id + "_canary", ""},
                      workshop_.script_of(variant.row.id)});
      for (const Variant* reference : bad) {
        jobs.push_back(
            {{reference->row.id, Probe::kSmall, 0, variant.row.id + "_" + reference->row.id, ""},
             workshop_.script_of(variant.row.id)});
      }
      plans.push_back(std::move(jobs));
    }
    if (plans.empty()) {
      return;
    }
    const auto ends = workshop_.run(plans);
    for (Variant& variant : variants_) {
      if (open(variant) && variant.row.kind == "test") {
        judge_test(variant, bad, ends);
      }
    }
  }

  void judge_test(Variant& variant,
                  const std::vector<const Variant*>& bad,
                  const std::map<std::string, JobEnd>& ends) {
    std::string missed;
    for (const Variant* reference : bad) {
      const auto end = ends.find(variant.row.id + "_" + reference->row.id);
      if (end != ends.end() && end->second.passed) {
        missed += (missed.empty() ? "" : ", ") + reference->row.title;
      }
    }
    const auto good = ends.find(variant.row.id + "_good");
    if (good == ends.end() || !good->second.passed) {
      variant.row.state = "killed";
      variant.row.by = good == ends.end() ? "the test does not run" : good->second.problem;
    } else if (const auto canary = ends.find(variant.row.id + "_canary");
               canary == ends.end() || canary->second.passed) {
      variant.row.state = "killed";
      variant.row.by = "the canary: outputs that were overwritten pass";
    } else if (missed.empty()) {
      variant.row.state = "killed";
      variant.row.by = "wrong bindings are found all the same, by another check";
    } else if (const auto codes = new_lint(variant); !codes.empty()) {
      variant.row.state = "killed";
      variant.row.by = "lint " + joined(codes, " ");
    } else {
      variant.row.state = "survived";
      variant.row.by = fmt::format("it lets through: {}; needed: {}", missed, variant.row.by);
    }
    variant.row.seconds = good == ends.end() ? 0 : good->second.seconds;
  }

  // What lint says of this script and not of the unchanged one.
  std::vector<std::string> new_lint(const Variant& variant) const {
    const auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
    const auto before = around_.lint(folder(workshop_.own_script()));
    std::vector<std::string> codes;
    for (const std::string& code : around_.lint(folder(workshop_.script_of(variant.row.id)))) {
      if (std::find(before.begin(), before.end(), code) == before.end()) {
        codes.push_back(code);
      }
    }
    return codes;
  }

  const contract::Contract& contract_;
  const Options& options_;
  const Surroundings& around_;
  Workshop workshop_;
  std::vector<Variant> variants_;
  Proof proof_;
};

size_t count_of(const Proof& proof, const std::string& kind, const std::string& state) {
  return static_cast<size_t>(
      std::count_if(proof.mutants.begin(), proof.mutants.end(), [&](const verify::Mutant& row) {
        return (kind.empty() || row.kind == kind) && row.state == state;
      }));
}

}  // namespace

bool Proof::holds() const {
  return problems.empty() && count_of(*this, "", "killed") > 0 &&
         count_of(*this, "", "survived") == 0;
}

Proof run_prove(const contract::Contract& contract,
                const Options& options,
                const Surroundings& around) {
  return Prover(contract, options, around).run();
}

std::string to_json(const Proof& proof) {
  Json rows = Json::array();
  for (const verify::Mutant& row : proof.mutants) {
    rows.push_back({{"id", row.id},
                    {"kind", row.kind},
                    {"title", row.title},
                    {"state", row.state},
                    {"by", row.by},
                    {"seconds", row.seconds}});
  }
  const Json json = {{"op", proof.op},
                     {"state", proof.holds() ? "proved" : "not proved"},
                     {"seconds", proof.seconds},
                     {"mutants", rows},
                     {"problems", proof.problems}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_text(const Proof& proof) {
  std::string out;
  for (const verify::Mutant& row : proof.mutants) {
    out += fmt::format("  {:<4} {:<14} {:>6.1f} s  {}\n        {}\n",
                       row.id,
                       row.state == "survived" ? "SURVIVED" : row.state,
                       row.seconds,
                       row.title,
                       row.by);
  }
  for (const std::string& problem : proof.problems) {
    out += fmt::format("problem: {}\n", problem);
  }
  for (const char* kind : {"binding", "test", "kernel"}) {
    out += fmt::format("{}: {} killed, {} survived, {} equivalent, {} not applicable, {} invalid\n",
                       kind,
                       count_of(proof, kind, "killed"),
                       count_of(proof, kind, "survived"),
                       count_of(proof, kind, "equivalent"),
                       count_of(proof, kind, "not applicable"),
                       count_of(proof, kind, "invalid"));
  }
  out += fmt::format("{}: {} in {:.0f} s\n",
                     proof.op,
                     proof.holds() ? "proved: every wrong variant is found" : "NOT PROVED",
                     proof.seconds);
  return out;
}

}  // namespace shmem_bind::prove
