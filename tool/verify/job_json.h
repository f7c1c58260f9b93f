#pragma once

#include "tool/verify/json_fields.h"
#include "tool/verify/verify.h"

// A job as the plan for the test and verdict.json both write it: one place that knows its fields.

namespace shmem_bind::verify {

// Every member of Job under its name; "environment" is an object of texts.
Json job_fields(const Job& job);

// The values of its derived cases as numbers and truth values.
Json derived_fields(const Job& job);

// The job as the test's plan has it: the test knows only the cases of the contract by name.
Json plan_fields(const Job& job, const contract::Contract& contract);

// The job of such an object; what is missing has the value of a plain job.
Job read_job(const Json& item);

}  // namespace shmem_bind::verify
