#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/places.h"
#include "tool/build/artifact.h"
#include "tool/verify/drift.h"
#include "tool/verify/job_json.h"
#include "tool/verify/job_result.h"
#include "tool/verify/judge.h"
#include "tool/verify/own_test.h"
#include "tool/verify/plan_parts.h"
#include "tool/verify/proof_file.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::verify {
namespace {

constexpr size_t kMostLines = 20;

Json planned(const Job& job,
             const contract::Contract& contract,
             const Options& options,
             const std::string& findings) {
  Json object = plan_fields(job, contract);
  object["keep_going"] = options.keep_going;
  Json environment = {{"SHMEM_SIM_FINDINGS", findings}, {"SHMEM_SIM_WAIT_TIMEOUT_MS", "20000"}};
  environment.update(object["environment"]);
  object["environment"] = environment;
  object["deadline"] = options.deadline_s;
  return object;
}

class Verification {
 public:
  Verification(const contract::Contract& contract,
               const Options& options,
               const Surroundings& surroundings)
      : tree_(surroundings.tree),
        contract_(contract),
        target_(surroundings.target),
        options_(options),
        files_(surroundings.files),
        runner_(surroundings.runner),
        on_line_(surroundings.on_line),
        folder_(temporary_folder("shmem-bind-verify")) {}
  ~Verification() { remove_tree(folder_); }
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  Verdict run(const std::vector<Job>& jobs) {
    verdict_.op = contract_.op_name;
    verdict_.folder = tree_ + "/" + binding::places_of(contract_).op;
    verdict_.digest = contract_.digest;
    verdict_.deadline_s = options_.deadline_s;
    for (const contract::Case& item : contract_.cases) {
      verdict_.cases[item.name] = item.symbols;
    }
    add_derived_cases(jobs);
    verdict_.full = options_.full;
    verdict_.versions = versions();
    verdict_.warnings = drift_of(contract_, tree_, files_);
    take_proof();
    run_plan(jobs);
    read_findings();
    return std::move(verdict_);
  }

 private:
  void add_derived_cases(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
      for (const auto& [name, values] : job.derived) {
        for (const auto& [key, literal] : values) {
          if (contract_.cases.front().symbols.contains(key)) {
            verdict_.cases[name][key] = std::strtoll(literal.c_str(), nullptr, 10);
          }
        }
      }
    }
  }

  // The variants of prove, when its record is of this contract and these sources.
  void take_proof() {
    const auto record = files_.read(proof_path(contract_, tree_));
    if (!record.ok()) {
      return;
    }
    ProofFile proof =
        read_proof(record.value(), contract_.digest, sources_digest(contract_, tree_, files_));
    verdict_.mutants = std::move(proof.mutants);
    if (!proof.note.empty()) {
      verdict_.notes.push_back(std::move(proof.note));
    }
  }

  Result<Command> test_command(std::vector<std::string> options) {
    auto test = test_to_run(contract_, tree_, folder_ + "/tree", files_);
    if (!test.ok()) {
      return test.failure();
    }
    options.insert(options.begin(), {target_.python, test.value().path});
    Command command = build::in_environment(target_, std::move(options));
    if (test.value().is_own) {
      command.environment["LD_LIBRARY_PATH"] =
          test.value().libraries + ":" + environment("LD_LIBRARY_PATH");
      verdict_.warnings.insert(verdict_.warnings.begin(),
                               binding::places_of(contract_).test +
                                   " is no test of shmem-bind: it was not run, but the one that "
                                   "generate would write");
    }
    return command;
  }

  Versions versions() {
    Versions found;
    found.tool = binding::kToolVersion;
    found.torch = target_.torch_version;
    found.torch_npu_installed = target_.torch_npu_version;
    found.cann = target_.cann_version;
    found.cann_path = target_.cann;
    found.simulated = target_.simulated;
    found.shmem_path = target_.shmem;
    found.python = target_.python_version;
    found.python_path = target_.python;
    const auto library = files_.read(tree_ + "/" + binding::places_of(contract_).binding_library);
    found.compiler = library.ok() ? build::compiler_of(library.value()) : "";
    return found;
  }

  // Runs the test on a plan; its report, or null after saying what went wrong.
  Json run_test(const std::string& plan, int64_t deadline_s) {
    const std::string report = folder_ + "/report.json";
    auto command = test_command({"--plan", plan, "--report", report});
    if (!command.ok()) {
      verdict_.problems.push_back("test: " + command.failure().text);
      return nullptr;
    }
    command.value().deadline = std::chrono::seconds(deadline_s);
    const ProcessResult result = runner_.run(command.value(), on_line_);
    auto text = files_.read(report);
    const Json parsed = text.ok() ? Json::parse(text.value(), nullptr, false) : Json();
    if (result.timed_out || !parsed.is_object() || !parsed.contains("results")) {
      const auto lines = split_lines(result.output);
      std::string tail;
      for (size_t i = lines.size() > 8 ? lines.size() - 8 : 0; i < lines.size(); ++i) {
        tail += fmt::format("\n    {}", lines[i]);
      }
      verdict_.problems.push_back(
          fmt::format("test: {}{}",
                      result.timed_out ? fmt::format("not finished within {} s", deadline_s)
                                       : fmt::format("no report, exit code {}", result.exit_code),
                      tail));
      return nullptr;
    }
    const Json& results = list_in(parsed, "results");
    const bool all_passed = std::all_of(
        results.begin(), results.end(), [](const Json& item) { return flag_in(item, "passed"); });
    if (all_passed != (result.exit_code == 0)) {
      verdict_.problems.push_back(fmt::format("test: the report says {}, the exit code is {}",
                                              all_passed ? "passed" : "failed",
                                              result.exit_code));
    }
    return results;
  }

  void add(const Job& job, const Json& item) {
    verdict_.jobs.push_back(read_result(job, item));
    if (verdict_.versions.torch_npu.empty()) {
      verdict_.versions.torch_npu = text_in(item, "torch_npu");
      verdict_.versions.torch_npu_path = text_in(item, "torch_npu_path");
    }
  }

  void run_plan(const std::vector<Job>& jobs) {
    Json list = Json::array();
    for (const Job& job : jobs) {
      list.push_back(planned(job, contract_, options_, findings_path()));
    }
    const std::string plan = folder_ + "/plan.json";
    if (auto written = files_.write(plan, list.dump(1), false); !written.ok()) {
      verdict_.problems.push_back(written.failure().text);
      return;
    }
    const int64_t deadline = options_.deadline_s * static_cast<int64_t>(jobs.size()) + 30;
    const Json results = run_test(plan, deadline);
    if (results.is_null()) {
      return;
    }
    if (results.size() != jobs.size()) {
      verdict_.problems.push_back(
          fmt::format("the test reported {} of {} jobs", results.size(), jobs.size()));
    }
    for (size_t i = 0; i < std::min(results.size(), jobs.size()); ++i) {
      add(jobs[i], results[i]);
    }
  }

  std::string findings_path() const { return folder_ + "/findings.jsonl"; }

  void read_findings() {
    auto text = files_.read(findings_path());
    if (!text.ok()) {
      return;
    }
    for (const std::string_view line : split_lines(text.value())) {
      const Json item = Json::parse(line, nullptr, false);
      if (verdict_.findings.size() == kMostLines) {
        break;
      }
      verdict_.findings.push_back(item.is_object() ? fmt::format("{}: PE {}, kernel {}: {}",
                                                                 text_in(item, "rule"),
                                                                 integer_in(item, "pe", -1),
                                                                 text_in(item, "kernel"),
                                                                 text_in(item, "detail"))
                                                   : std::string(line));
    }
  }

  const std::string& tree_;
  const contract::Contract& contract_;
  const build::Target& target_;
  const Options& options_;
  FileSystem& files_;
  ProcessRunner& runner_;
  const OnLine& on_line_;
  std::string folder_;
  Verdict verdict_;
};

}  // namespace

Verdict run_jobs(const contract::Contract& contract,
                 const std::vector<Job>& jobs,
                 const Options& options,
                 const Surroundings& surroundings) {
  return Verification(contract, options, surroundings).run(jobs);
}

Verdict run_verify(const contract::Contract& contract,
                   const Options& options,
                   const Surroundings& surroundings) {
  Verdict verdict = run_jobs(contract, plan_jobs(contract, options), options, surroundings);
  judge(contract, options, verdict);
  return verdict;
}

}  // namespace shmem_bind::verify
