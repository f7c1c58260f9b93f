#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/binding/places.h"
#include "tool/prove/workshop.h"
#include "tool/verify/job_json.h"
#include "tool/verify/job_result.h"

// Runs of the test on plans, as verify does it: one process imports torch and forks the PEs of all
// its jobs. Which libraries a job loads is said by where they are looked for.

namespace shmem_bind::prove {
namespace {

using verify::Json;

// $1 Python, then for each process: script, and what its files are called. The exit code lies in a
// file beside them: the test ends with 1 when a job fails, which is what wrong variants are for.
constexpr const char* kRunPlans = R"(python="$1"; shift
printf '%s\0' "$@" | python="${python}" xargs -0 -P 2 -n 2 bash -c '
  "${python}" "$0" --plan "$1.json" --report "$1.report" >"$1.log" 2>&1; echo "$?" >"$1.code"; grep "^进度" "$1.log"; true')";

std::string file_of(const std::string& folder, const std::string& name, const char* end) {
  return fmt::format("{}/runs/{}.{}", folder, name, end);
}

}  // namespace

std::vector<std::string> Run::announces() const {
  std::vector<std::string> names = {binding.empty() ? "unchanged" : binding};
  if (!kernel.empty()) {
    names.push_back(kernel);
  }
  return names;
}

std::string Workshop::plan_text(const std::vector<Run>& runs) const {
  const std::string binding = in_tree(binding::places_of(contract_).binding_library);
  Json list = Json::array();
  for (const Run& run : runs) {
    Json object = verify::plan_fields(run.job, contract_);
    Json environment = object["environment"];
    environment["SHMEM_SIM_FINDINGS"] = file_of(folder_, run.key, "findings");
    environment["SHMEM_SIM_WAIT_TIMEOUT_MS"] = std::to_string(run.wait_ms);
    environment["SHMEM_BIND_MUTANT"] = run.binding;
    environment["SHMEM_BIND_PROVE_SEEN"] = file_of(folder_, run.key, "seen");
    environment["LD_LIBRARY_PATH"] =
        binding.substr(0, binding.rfind('/')) + ":" + kernel_folder(run.kernel);
    object["environment"] = environment;
    object["deadline"] = run.deadline_s;
    object["name"] =
        fmt::format("{}: {}", run.variant.empty() ? "unchanged" : run.variant, run.job.name);
    list.push_back(object);
  }
  return list.dump(1);
}

void Workshop::read_ends(const std::string& name, const std::vector<Run>& runs, Ends& ends) const {
  const auto text = around_.files.read(file_of(folder_, name, "report"));
  const Json report = text.ok() ? Json::parse(text.value(), nullptr, false) : Json();
  const Json results = report.is_object() ? verify::list_in(report, "results") : Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    End& end = ends[runs[i].key];
    end.reported = results.size() == runs.size();
    if (!end.reported) {
      continue;
    }
    end.result = verify::read_result(runs[i].job, results[i]);
    const auto lines = [&](const char* kind) {
      const auto read = around_.files.read(file_of(folder_, runs[i].key, kind));
      const std::string all = read.ok() ? read.value() : "";
      std::vector<std::string> found;
      for (const std::string_view line : split_lines(all)) {
        found.emplace_back(line);
      }
      return found;
    };
    end.announced = lines("seen");
    for (const std::string& line : lines("findings")) {
      const Json item = Json::parse(line, nullptr, false);
      end.findings.push_back(item.is_object() ? fmt::format("{}: {}",
                                                            verify::text_in(item, "rule"),
                                                            verify::text_in(item, "detail"))
                                              : line);
    }
  }
}

Ends Workshop::run(const std::vector<std::vector<Run>>& lists, std::vector<std::string>& problems) {
  Ends ends;
  std::vector<std::string> words = {"bash", "-c", kRunPlans, "plans", around_.target.python};
  std::map<std::string, const std::vector<Run>*> plans;
  int64_t seconds = 60;
  ++round_;
  if (round_ == 1) {
    around_.files.remove(folder_ + "/runs");
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty() || interrupted_) {
      continue;
    }
    const std::string name = fmt::format("plan_{}_{}", round_, i);
    const auto written =
        around_.files.write(file_of(folder_, name, "json"), plan_text(lists[i]), false);
    if (!written.ok()) {
      problems.push_back(written.failure().text);
      continue;
    }
    words.push_back(lists[i].front().script);
    words.push_back(fmt::format("{}/runs/{}", folder_, name));
    plans[name] = &lists[i];
    for (const Run& run : lists[i]) {
      seconds += run.deadline_s;
    }
  }
  if (plans.empty()) {
    return ends;
  }
  Command command = build::in_environment(around_.target, words);
  command.deadline = std::chrono::seconds(seconds);
  const ProcessResult result = around_.runner.run(command, around_.progress);
  interrupted_ = interrupted_ || result.interrupted;
  if (result.timed_out) {
    problems.push_back(fmt::format("the runs did not end within {} s", seconds));
  }
  for (const auto& [name, runs] : plans) {
    read_ends(name, *runs, ends);
    const auto code = around_.files.read(file_of(folder_, name, "code"));
    if (!interrupted_ && (!code.ok() || (code.value() != "0\n" && code.value() != "1\n"))) {
      problems.push_back(fmt::format("the test crashed on a plan: {}/runs/{}.log", folder_, name));
    }
  }
  return ends;
}

}  // namespace shmem_bind::prove
