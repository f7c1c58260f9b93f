#pragma once

#include "tool/verify/json_fields.h"
#include "tool/verify/verify.h"

namespace shmem_bind::verify {

// Results that a job must leave: one of each PE and call.
int64_t expected_records(const Job& job);

// What the test reports of one job, believed only as far as it is complete.
JobResult read_result(const Job& job, const Json& item);

// The parts that the test's report and verdict.json have in common.
std::vector<FailedCall> read_calls(const Json& list);
std::map<std::string, std::string> read_stands(const Json& object);

}  // namespace shmem_bind::verify
