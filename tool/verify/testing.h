#pragma once

#include <string>

#include "tool/contract/testing.h"
#include "tool/verify/judge.h"

// Words for this folder's tests: the verdict of a plan that passed, to be changed in one place.

namespace shmem_bind::verify {

inline contract::Contract good_contract() {
  return *contract::read(contract::kGoodDesign).contract;
}

inline JobResult passed(const Job& job) {
  JobResult result;
  result.job = job;
  result.passed = true;
  result.records = result.expected =
      job.pes * static_cast<int64_t>(job.dtypes.size() * job.cases.size()) * job.calls;
  result.seconds = 0.5;
  return result;
}

// All jobs of the plan passed, on the simulated CANN.
inline Verdict passed_verdict(const Options& options = {}) {
  const contract::Contract contract = good_contract();
  Verdict verdict;
  verdict.op = contract.op_name;
  verdict.folder = "/tree/custom-ops/copy_rows";
  verdict.digest = contract.digest;
  verdict.versions = {"0.1.0",
                      "2.13.0+cpu",
                      "2.13.0",
                      "/venv/torch_npu",
                      "2.13.0",
                      "8.5.0",
                      "/cann",
                      true,
                      "/shmem",
                      "GCC: 12.2.0",
                      "3.11.2",
                      "/venv/bin/python"};
  for (const contract::Case& item : contract.cases) {
    verdict.cases[item.name] = item.symbols;
  }
  for (const Job& job : plan_jobs(contract, options)) {
    verdict.jobs.push_back(passed(job));
  }
  judge(contract, options, verdict);
  return verdict;
}

// The first job found a wrong result on PE 1.
inline Verdict failed_verdict() {
  Verdict verdict = passed_verdict();
  JobResult& result = verdict.jobs.front();
  result.passed = false;
  result.failure_class = "mismatch";
  result.hint = "look at <the kernel> & its signals";
  result.first_error = "PE 1: 结果不符";
  result.problems = {"int32 s call 2: PE 1 \"differs\""};
  result.calls = {{1,
                   result.job.dtypes.front(),
                   result.job.cases.front(),
                   2,
                   "strided",
                   "element 3: got 1, wanted 2",
                   0.01}};
  judge(good_contract(), {}, verdict);
  return verdict;
}

inline const Check& check_named(const Verdict& verdict, const std::string& name) {
  for (const Check& check : verdict.checks) {
    if (check.name == name) {
      return check;
    }
  }
  throw std::logic_error("there is no check " + name);
}

}  // namespace shmem_bind::verify
