#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/binding/plan_tree.h"
#include "tool/verify/verify.h"

namespace shmem_bind::verify {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostLines = 20;

Json job_json(const Job& job, const Options& options, const std::string& findings) {
  Json environment = {{"SHMEM_SIM_FINDINGS", findings}, {"SHMEM_SIM_WAIT_TIMEOUT_MS", "20000"}};
  for (const auto& [name, value] : job.environment) {
    environment[name] = value;
  }
  return {{"name", job.name},
          {"pes", job.pes},
          {"dtypes", job.dtypes},
          {"cases", job.cases},
          {"seed", job.seed},
          {"calls", job.calls},
          {"launcher", job.launcher},
          {"mixed", job.mixed},
          {"side_streams", job.side_streams},
          {"objects", job.objects},
          {"lives", job.lives},
          {"deadline", options.deadline_s},
          {"environment", environment}};
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

  Verdict run() {
    verdict_.op = contract_.op_name;
    warn_of_drift();
    run_plan(plan_jobs(contract_, options_));
    read_findings();
    verdict_.verified =
        verdict_.problems.empty() && verdict_.findings.empty() && !verdict_.jobs.empty() &&
        std::all_of(verdict_.jobs.begin(), verdict_.jobs.end(), [](const JobResult& j) {
          return j.passed;
        });
    return std::move(verdict_);
  }

 private:
  std::string test_script() const {
    return fmt::format("{}/{}", tree_, binding::places_of(contract_).test);
  }

  void warn_of_drift() {
    binding::Texts existing;
    for (const std::string& path : binding::paths_to_read(contract_)) {
      if (auto text = files_.read(tree_ + "/" + path); text.ok()) {
        existing[path] = text.value();
      }
    }
    const binding::TreePlan fresh = binding::plan_tree(contract_, existing);
    for (const binding::TreeProblem& problem : fresh.problems) {
      verdict_.warnings.push_back(fmt::format("{}: {}", problem.path, problem.text));
    }
    for (const auto& [path, planned] : fresh.plan) {
      if (planned.action == binding::PlannedFile::Action::kCreate) {
        verdict_.warnings.push_back(path + " is missing; shmem-bind generate writes it");
      } else if (planned.action != binding::PlannedFile::Action::kUnchanged) {
        verdict_.warnings.push_back(path + " differs from what generate would write" +
                                    (planned.reason.empty() ? "" : " (" + planned.reason + ")"));
      }
    }
  }

  // Runs the test on a plan; its report, or null after saying what went wrong.
  Json run_test(const std::string& plan, int64_t deadline_s) {
    const std::string report = folder_ + "/report.json";
    Command command = build::in_environment(
        target_, {target_.python, test_script(), "--plan", plan, "--report", report});
    command.deadline = std::chrono::seconds(deadline_s);
    const ProcessResult result = runner_.run(command, on_line_);
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
    const bool all_passed =
        std::all_of(parsed["results"].begin(), parsed["results"].end(), [](const Json& item) {
          return item.value("passed", false);
        });
    if (all_passed != (result.exit_code == 0)) {
      verdict_.problems.push_back(fmt::format("test: the report says {}, the exit code is {}",
                                              all_passed ? "passed" : "failed",
                                              result.exit_code));
    }
    return parsed["results"];
  }

  void add(const Job& job, const Json& item) {
    JobResult result;
    result.job = job;
    result.records = item.value("records", int64_t{0});
    result.seconds = item.value("seconds", 0.0);
    for (const Json& problem : item.value("problems", Json::array())) {
      result.problems.push_back(problem.get<std::string>());
    }
    const int64_t expected =
        job.pes * static_cast<int64_t>(job.dtypes.size() * job.cases.size()) * job.calls;
    if (result.records != expected) {
      result.problems.push_back(fmt::format("{} results instead of {}", result.records, expected));
    }
    result.passed = item.value("passed", false) && result.problems.empty();
    if (verdict_.torch_npu.empty()) {
      verdict_.torch_npu =
          fmt::format("{} at {}", item.value("torch_npu", ""), item.value("torch_npu_path", ""));
    }
    verdict_.jobs.push_back(std::move(result));
  }

  void run_plan(const std::vector<Job>& jobs) {
    Json list = Json::array();
    for (const Job& job : jobs) {
      list.push_back(job_json(job, options_, findings_path()));
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
                                                                 item.value("rule", ""),
                                                                 item.value("pe", -1),
                                                                 item.value("kernel", "-"),
                                                                 item.value("detail", ""))
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

Verdict run_verify(const contract::Contract& contract,
                   const Options& options,
                   const Surroundings& surroundings) {
  return Verification(contract, options, surroundings).run();
}

std::string to_json(const Verdict& verdict) {
  Json jobs = Json::array();
  for (const JobResult& item : verdict.jobs) {
    Json environment = Json::object();
    for (const auto& [name, value] : item.job.environment) {
      environment[name] = value;
    }
    jobs.push_back({{"name", item.job.name},
                    {"launcher", item.job.launcher},
                    {"pes", item.job.pes},
                    {"dtypes", item.job.dtypes},
                    {"cases", item.job.cases},
                    {"calls", item.job.calls},
                    {"environment", environment},
                    {"passed", item.passed},
                    {"records", item.records},
                    {"seconds", item.seconds},
                    {"problems", item.problems}});
  }
  const Json json = {{"op", verdict.op},
                     {"state", verdict.verified ? "verified" : "failed"},
                     {"torch_npu", verdict.torch_npu},
                     {"jobs", jobs},
                     {"findings", verdict.findings},
                     {"problems", verdict.problems},
                     {"warnings", verdict.warnings}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_text(const Verdict& verdict) {
  std::string out;
  for (const std::string& warning : verdict.warnings) {
    out += fmt::format("warning: {}\n", warning);
  }
  std::vector<std::string> dtypes;
  std::vector<std::string> counts;
  for (const JobResult& item : verdict.jobs) {
    out += fmt::format("  {:<44} {:>6} results  {:>6.1f} s  {}\n",
                       item.job.name,
                       item.records,
                       item.seconds,
                       item.passed ? "passed" : "FAILED");
    for (size_t i = 0; i < std::min<size_t>(item.problems.size(), 5); ++i) {
      out += fmt::format("      {}\n", item.problems[i]);
    }
    dtypes = item.job.dtypes.size() > dtypes.size() ? item.job.dtypes : dtypes;
    const std::string count = std::to_string(item.job.pes);
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) {
      counts.push_back(count);
    }
  }
  for (const std::string& problem : verdict.problems) {
    out += fmt::format("problem: {}\n", problem);
  }
  for (const std::string& finding : verdict.findings) {
    out += fmt::format("finding: {}\n", finding);
  }
  out += fmt::format("torch_npu {}\n", verdict.torch_npu);
  out += fmt::format("{}: {} on {} PEs, dtypes {}\n",
                     verdict.op,
                     verdict.verified ? "verified" : "NOT VERIFIED",
                     joined(counts, " and "),
                     joined(dtypes, " "));
  return out;
}

}  // namespace shmem_bind::verify
