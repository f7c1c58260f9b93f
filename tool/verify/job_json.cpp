#include "tool/verify/job_json.h"

namespace shmem_bind::verify {

namespace {

// A literal as the value it stands for; what is none stays a text.
Json value_of(const std::string& literal) {
  const Json value = Json::parse(literal, nullptr, false);
  return value.is_discarded() ? Json(literal) : value;
}

}  // namespace

Json derived_fields(const Job& job) {
  Json cases = Json::object();
  for (const auto& [name, values] : job.derived) {
    cases[name] = Json::object();
    for (const auto& [key, literal] : values) {
      cases[name][key] = value_of(literal);
    }
  }
  return cases;
}

Json job_fields(const Job& job) {
  Json environment = Json::object();
  for (const auto& [name, value] : job.environment) {
    environment[name] = value;
  }
  return {{"name", job.name},
          {"launcher", job.launcher},
          {"pes", job.pes},
          {"dtypes", job.dtypes},
          {"cases", job.cases},
          {"derived", derived_fields(job)},
          {"seed", job.seed},
          {"calls", job.calls},
          {"mixed", job.mixed},
          {"side_streams", job.side_streams},
          {"objects", job.objects},
          {"lives", job.lives},
          {"environment", environment}};
}

Job read_job(const Json& item) {
  Job job;
  job.name = text_in(item, "name");
  job.launcher = text_in(item, "launcher");
  job.pes = integer_in(item, "pes");
  job.seed = integer_in(item, "seed");
  job.calls = integer_in(item, "calls");
  job.dtypes = texts_in(item, "dtypes");
  job.cases = texts_in(item, "cases");
  for (const auto& [name, values] : object_in(item, "derived").items()) {
    for (const auto& [key, value] : values.items()) {
      job.derived[name][key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  for (const auto& [name, value] : object_in(item, "environment").items()) {
    job.environment.emplace_back(name, value.is_string() ? value.get<std::string>() : "");
  }
  job.mixed = flag_in(item, "mixed");
  job.side_streams = flag_in(item, "side_streams");
  job.objects = integer_in(item, "objects", 1);
  job.lives = integer_in(item, "lives", 1);
  return job;
}

}  // namespace shmem_bind::verify
