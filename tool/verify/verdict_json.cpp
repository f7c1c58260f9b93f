#include <fmt/format.h>

#include <array>
#include <set>

#include "tool/verify/job_json.h"
#include "tool/verify/job_result.h"
#include "tool/verify/json_fields.h"
#include "tool/verify/proof_file.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::verify {
namespace {

constexpr int64_t kSchema = 1;  // docs/verdict.schema.json; raised when a field changes its meaning

// Texts of Versions by the name they have in the file.
constexpr std::array kVersionFields = {
    std::pair{"tool", &Versions::tool},
    std::pair{"torch", &Versions::torch},
    std::pair{"torch_npu", &Versions::torch_npu},
    std::pair{"torch_npu_path", &Versions::torch_npu_path},
    std::pair{"torch_npu_installed", &Versions::torch_npu_installed},
    std::pair{"cann", &Versions::cann},
    std::pair{"cann_path", &Versions::cann_path},
    std::pair{"shmem_path", &Versions::shmem_path},
    std::pair{"compiler", &Versions::compiler},
    std::pair{"python", &Versions::python},
    std::pair{"python_path", &Versions::python_path},
};

template <class Value>
Value value_named(const std::string& name, std::initializer_list<Value> values, Value otherwise) {
  for (const Value value : values) {
    if (name_of(value) == name) {
      return value;
    }
  }
  return otherwise;
}

Json calls_json(const std::vector<FailedCall>& calls) {
  Json list = Json::array();
  for (const FailedCall& call : calls) {
    list.push_back({{"pe", call.pe},
                    {"dtype", call.dtype},
                    {"case", call.case_name},
                    {"call", call.call},
                    {"layout", call.layout},
                    {"detail", call.detail},
                    {"seconds", call.seconds}});
  }
  return list;
}

Json texts_json(const std::map<std::string, std::string>& texts) {
  Json object = Json::object();
  for (const auto& [name, text] : texts) {
    object[name] = text;
  }
  return object;
}

Json job_json(const JobResult& result, size_t number) {
  Json object = {{"number", number}};
  object.update(job_fields(result.job));
  object.update({{"passed", result.passed},
                 {"skipped", result.skipped},
                 {"class", result.failure_class},
                 {"hint", result.hint},
                 {"first_error", result.first_error},
                 {"problems", result.problems},
                 {"failed_calls", calls_json(result.calls)},
                 {"stands", texts_json(result.stands)},
                 {"records", result.records},
                 {"expected", result.expected},
                 {"comparison", result.comparison},
                 {"retried", result.retried},
                 {"seconds", result.seconds}});
  return object;
}

Json jobs_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const JobResult& result : verdict.jobs) {
    list.push_back(job_json(result, list.size() + 1));
  }
  return list;
}

Json checks_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const Check& check : verdict.checks) {
    list.push_back({{"name", check.name},
                    {"state", name_of(check.state)},
                    {"why", text_of(check.why, Language::kEnglish)},
                    {"message", check.why.id},
                    {"arguments", check.why.arguments}});
  }
  return list;
}

Json matrix_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const Cell& cell : matrix_of(verdict)) {
    list.push_back({{"pes", cell.pes},
                    {"dtype", cell.dtype},
                    {"case", cell.case_name},
                    {"state", name_of(cell.state)},
                    {"jobs", cell.jobs},
                    {"calls", cell.calls}});
  }
  return list;
}

Json mutants_json(const Verdict& verdict) {
  Json list = Json::array();
  for (const Mutant& mutant : verdict.mutants) {
    list.push_back({{"id", mutant.id},
                    {"kind", mutant.kind},
                    {"title", mutant.title},
                    {"state", mutant.state},
                    {"by", mutant.by},
                    {"seconds", mutant.seconds}});
  }
  return list;
}

Json seeds_json(const Verdict& verdict) {
  std::set<int64_t> data;
  std::set<int64_t> adversarial;
  for (const JobResult& result : verdict.jobs) {
    data.insert(result.job.seed);
    for (const auto& [name, value] : result.job.environment) {
      if (name == "SHMEM_SIM_SEED") {
        adversarial.insert(std::strtoll(value.c_str(), nullptr, 10));
      }
    }
  }
  return {{"data", data}, {"adversarial", adversarial}};
}

Json versions_json(const Versions& versions) {
  Json object = {{"simulated", versions.simulated}};
  for (const auto& [name, member] : kVersionFields) {
    object[name] = versions.*member;
  }
  return object;
}

Json cases_json(const Verdict& verdict) {
  Json object = Json::object();
  for (const auto& [name, sizes] : verdict.cases) {
    object[name] = Json::object();
    for (const auto& [symbol, size] : sizes) {
      object[name][symbol] = size;
    }
  }
  return object;
}

Versions read_versions(const Json& object) {
  Versions versions;
  versions.simulated = flag_in(object, "simulated");
  for (const auto& [name, member] : kVersionFields) {
    versions.*member = text_in(object, name);
  }
  return versions;
}

JobResult read_job_result(const Json& item) {
  JobResult result;
  result.job = read_job(item);
  result.passed = flag_in(item, "passed");
  result.skipped = text_in(item, "skipped");
  result.failure_class = text_in(item, "class");
  result.hint = text_in(item, "hint");
  result.first_error = text_in(item, "first_error");
  result.problems = texts_in(item, "problems");
  result.calls = read_calls(list_in(item, "failed_calls"));
  result.stands = read_stands(object_in(item, "stands"));
  result.records = integer_in(item, "records");
  result.expected = integer_in(item, "expected");
  result.comparison = text_in(item, "comparison");
  result.retried = text_in(item, "retried");
  result.seconds = number_in(item, "seconds");
  return result;
}

Check read_check(const Json& item) {
  using enum CheckState;
  return {text_in(item, "name"),
          value_named(text_in(item, "state"), {kPassed, kFailed, kOpen, kWaived}, kOpen),
          {text_in(item, "message"), texts_in(item, "arguments")}};
}

std::map<std::string, Sizes> read_cases(const Json& object) {
  std::map<std::string, Sizes> cases;
  for (const auto& [name, sizes] : object.items()) {
    cases[name] = {};
    for (const auto& [symbol, size] : sizes.items()) {
      cases[name][symbol] = size.is_number_integer() ? size.get<int64_t>() : 0;
    }
  }
  return cases;
}

}  // namespace

std::string to_json(const Verdict& verdict) {
  std::vector<std::string> why;
  for (const Message& message : reasons(verdict)) {
    why.push_back(text_of(message, Language::kEnglish));
  }
  return printed({{"schema", kSchema},
                  {"op", verdict.op},
                  {"state", name_of(verdict.state)},
                  {"why", why},
                  {"full", verdict.full},
                  {"folder", verdict.folder},
                  {"contract", verdict.digest},
                  {"versions", versions_json(verdict.versions)},
                  {"seeds", seeds_json(verdict)},
                  {"deadline_s", verdict.deadline_s},
                  {"checks", checks_json(verdict)},
                  {"cases", cases_json(verdict)},
                  {"matrix", matrix_json(verdict)},
                  {"jobs", jobs_json(verdict)},
                  {"mutants", mutants_json(verdict)},
                  {"findings", verdict.findings},
                  {"problems", verdict.problems},
                  {"warnings", verdict.warnings},
                  {"notes", verdict.notes}});
}

Result<Verdict> read_verdict(const std::string& text, const std::string& name) {
  using enum State;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || text_in(json, "op").empty() || !json.contains("jobs")) {
    return Failure{fmt::format(
        "{} is no verdict: give the verdict.json that shmem-bind verify has written", name)};
  }
  if (integer_in(json, "schema") != kSchema) {
    return Failure{
        fmt::format("{} has schema {}, this shmem-bind reads {}: run shmem-bind verify again",
                    name,
                    integer_in(json, "schema"),
                    kSchema)};
  }
  Verdict verdict;
  verdict.op = text_in(json, "op");
  verdict.full = flag_in(json, "full");
  verdict.folder = text_in(json, "folder");
  verdict.digest = text_in(json, "contract");
  verdict.state =
      value_named(text_in(json, "state"), {kVerified, kFailed, kUnverified, kSkipped}, kFailed);
  verdict.versions = read_versions(object_in(json, "versions"));
  verdict.deadline_s = integer_in(json, "deadline_s", 120);
  verdict.cases = read_cases(object_in(json, "cases"));
  for (const Json& item : list_in(json, "jobs")) {
    verdict.jobs.push_back(read_job_result(item));
  }
  for (const Json& item : list_in(json, "checks")) {
    verdict.checks.push_back(read_check(item));
  }
  verdict.mutants = read_mutants(json);
  verdict.findings = texts_in(json, "findings");
  verdict.problems = texts_in(json, "problems");
  verdict.warnings = texts_in(json, "warnings");
  verdict.notes = texts_in(json, "notes");
  return verdict;
}

}  // namespace shmem_bind::verify
