#include "tool/verify/job_json.h"

#include <algorithm>

#include "tool/verify/plan_parts.h"

namespace shmem_bind::verify {

namespace {

// A literal as the value it stands for; what is none stays a text.
Json value_of(const std::string& literal) {
  const Json value = Json::parse(literal, nullptr, false);
  return value.is_discarded() ? Json(literal) : value;
}

using Cases = std::map<std::string, std::map<std::string, std::string>>;

Json fields_of(const Cases& cases) {
  Json fields = Json::object();
  for (const auto& [name, values] : cases) {
    fields[name] = Json::object();
    for (const auto& [key, literal] : values) {
      fields[name][key] = value_of(literal);
    }
  }
  return fields;
}

Cases read_cases(const Json& object) {
  Cases cases;
  for (const auto& [name, values] : object.items()) {
    for (const auto& [key, value] : values.items()) {
      cases[name][key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return cases;
}

}  // namespace

Json derived_fields(const Job& job) {
  return fields_of(job.derived);
}

Json plan_fields(const Job& job, const contract::Contract& contract) {
  Json object = job_fields(job);
  object.erase("derived");
  if (job.derived.empty()) {
    return object;
  }
  Job whole = job;
  whole.cases.clear();
  for (const contract::Case& item : contract.cases) {
    if (!job.derived.contains(item.name) &&
        std::find(job.cases.begin(), job.cases.end(), item.name) != job.cases.end()) {
      add_case(whole, item);
    }
  }
  object["cases"] = derived_fields(whole);
  return object;
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
          {"wrong_calls", job.wrong_calls},
          {"refused", fields_of(job.refused)},
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
  job.derived = read_cases(object_in(item, "derived"));
  job.wrong_calls = flag_in(item, "wrong_calls");
  job.refused = read_cases(object_in(item, "refused"));
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
