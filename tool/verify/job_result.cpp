#include "tool/verify/job_result.h"

#include <fmt/format.h>

namespace shmem_bind::verify {

int64_t expected_records(const Job& job) {
  return job.pes * static_cast<int64_t>(job.dtypes.size() * job.cases.size()) * job.calls;
}

std::vector<FailedCall> read_calls(const Json& list) {
  std::vector<FailedCall> calls;
  for (const Json& item : list) {
    calls.push_back({integer_in(item, "pe"),
                     text_in(item, "dtype"),
                     text_in(item, "case"),
                     integer_in(item, "call"),
                     text_in(item, "layout"),
                     text_in(item, "detail"),
                     number_in(item, "seconds")});
  }
  return calls;
}

std::map<std::string, std::string> read_stands(const Json& object) {
  std::map<std::string, std::string> stands;
  for (const auto& [pe, place] : object.items()) {
    stands[pe] = place.is_string() ? place.get<std::string>() : place.dump();
  }
  return stands;
}

JobResult read_result(const Job& job, const Json& item) {
  JobResult result;
  result.job = job;
  result.records = integer_in(item, "records");
  result.expected = expected_records(job);
  result.seconds = number_in(item, "seconds");
  result.skipped = text_in(item, "skipped");
  result.problems = texts_in(item, "problems");
  result.failure_class = text_in(item, "class");
  result.hint = text_in(item, "hint");
  result.first_error = text_in(item, "first_error");
  result.stands = read_stands(object_in(item, "stands"));
  result.calls = read_calls(list_in(item, "calls"));
  result.comparison = text_in(item, "comparison");
  result.retried = text_in(item, "retried");
  if (result.records != result.expected && result.skipped.empty()) {
    result.problems.push_back(
        fmt::format("{} results instead of {}", result.records, result.expected));
  }
  if (!result.calls.empty() && flag_in(item, "passed")) {
    result.problems.push_back("reported as passed, with calls that failed");
  }
  result.passed = flag_in(item, "passed") && result.problems.empty() && result.skipped.empty();
  return result;
}

}  // namespace shmem_bind::verify
