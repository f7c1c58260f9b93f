#include <fmt/format.h>

#include "tool/cli/command.h"
#include "tool/cli/verification.h"
#include "tool/verify/judge.h"

namespace shmem_bind::cli {
namespace {

using verify::JobResult;
using verify::Verdict;

// What is compared: not the seconds, and not the words of the problems, which name ports and times.
std::string result_of(const JobResult& result) {
  return result.passed                  ? "passed"
         : result.failure_class.empty() ? "failed"
                                        : fmt::format("failed ({})", result.failure_class);
}

// The job of that number; nothing, and said, when the verdict has none.
const JobResult* job_of(const Verdict& verdict, const Args& args, Outcome& outcome) {
  const auto count = static_cast<int64_t>(verdict.jobs.size());
  if (args.case_number <= count) {
    return &verdict.jobs[static_cast<size_t>(args.case_number - 1)];
  }
  outcome.exit_code = kExitUsage;
  outcome.messages +=
      count == 0
          ? fmt::format("{}: the verdict has no jobs; shmem-bind verify runs them\n", args.path)
          : fmt::format("{}: there is no job {}\n    way out: --case 1 to {}\n",
                        args.path,
                        args.case_number,
                        count);
  return nullptr;
}

// A verdict of another contract would be repeated on something else than it was about.
bool is_same_contract(const Verdict& verdict,
                      const Operator& op,
                      const Args& args,
                      Outcome& outcome) {
  if (verdict.op == op.contract.op_name && verdict.digest == op.contract.digest) {
    return true;
  }
  outcome.exit_code = kExitDiffers;
  outcome.messages += fmt::format(
      "{} is about {}, contract {}; {} holds {}, contract {}\n"
      "    way out: shmem-bind verify {} for a verdict of the present contract, or --operator with "
      "the folder of that one\n",
      args.path,
      verdict.op,
      verdict.digest,
      op.folder,
      op.contract.op_name,
      op.contract.digest,
      op.folder);
  return false;
}

// A job that the test never came to report has failed.
JobResult only_job(const Verdict& verdict, const JobResult& then) {
  if (!verdict.jobs.empty()) {
    return verdict.jobs.front();
  }
  JobResult missing;
  missing.job = then.job;
  return missing;
}

void tell(const JobResult& then, const Verdict& verdict, const Args& args, Outcome& outcome) {
  const JobResult now = only_job(verdict, then);
  const bool is_same = result_of(then) == result_of(now);
  outcome.text += fmt::format("{}: {}: {} then, {} now\n",
                              then.job.name,
                              is_same ? "the same result" : "ANOTHER RESULT",
                              result_of(then),
                              result_of(now));
  outcome.json.add("case", static_cast<int>(args.case_number))
      .add("same", is_same)
      .add("then", result_of(then))
      .add("now", result_of(now));
}

}  // namespace

Outcome command_replay(Environment& environment) {
  Outcome outcome;
  const auto earlier = open_verdict(environment, outcome);
  const JobResult* then = earlier ? job_of(*earlier, environment.args, outcome) : nullptr;
  if (then == nullptr) {
    return outcome;
  }
  Args args = environment.args;
  args.path = folder_of(args, *earlier);
  Environment about_operator{
      args, environment.files, environment.runner, environment.progress, environment.flush};
  if (!environment.files.is_folder(args.path)) {
    fail(outcome,
         {fmt::format("{}: there is no {}; give the operator's folder with --operator",
                      environment.args.path,
                      args.path)});
    return outcome;
  }
  const auto op = open_gated(about_operator, outcome);
  if (!op || !is_same_contract(*earlier, *op, environment.args, outcome) ||
      !libraries_are_there(about_operator, *op, outcome)) {
    return outcome;
  }
  const auto target = open_target(about_operator, outcome);
  if (!target) {
    return outcome;
  }
  verify::Options options;
  options.deadline_s = earlier->deadline_s;
  Verdict verdict = verify::run_jobs(
      op->contract, {then->job}, options, surroundings_of(about_operator, *op, *target));
  verify::judge_single(op->contract, verdict);
  tell_verdict(about_operator, verdict, outcome);
  tell(*then, verdict, environment.args, outcome);
  return outcome;
}

}  // namespace shmem_bind::cli
