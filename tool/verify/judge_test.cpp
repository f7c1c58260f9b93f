#include "tool/verify/judge.h"

#include <gtest/gtest.h>

#include "tool/verify/testing.h"

namespace shmem_bind::verify {
namespace {

std::string said(const Verdict& verdict, const std::string& name) {
  return text_of(check_named(verdict, name).why, Language::kEnglish);
}

TEST(Judge, VerifiesAWholePlanThatPassed) {
  const Verdict verdict = passed_verdict();
  EXPECT_EQ(verdict.state, State::kVerified) << headline(verdict);
  EXPECT_TRUE(reasons(verdict).empty());
  EXPECT_EQ(said(verdict, "pes"), "run on 2, 8");
  EXPECT_EQ(said(verdict, "launchers"), "started by fork, spawn, torchrun");
  EXPECT_EQ(said(verdict, "seeds"), "1, 2, 3, 4, 5");
  EXPECT_EQ(said(verdict, "oracle"), "all_gather");
  EXPECT_EQ(said(verdict, "review"), "status.review is passed");
}

TEST(Judge, FailsByOneJob) {
  const Verdict verdict = failed_verdict();
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_EQ(check_named(verdict, "jobs").state, CheckState::kFailed);
  EXPECT_NE(said(verdict, "jobs").find("1 of "), std::string::npos);
  EXPECT_EQ(headline(verdict), "2 PEs, eager: PE 1: 结果不符");
}

TEST(Judge, FailsByWhatBelongsToNoJob) {
  for (auto member : {&Verdict::findings, &Verdict::problems}) {
    Verdict verdict = passed_verdict();
    (verdict.*member) = {"a line\nand more"};
    judge(good_contract(), {}, verdict);
    EXPECT_EQ(verdict.state, State::kFailed);
    EXPECT_EQ(headline(verdict), "a line");
  }
}

TEST(Judge, FailsWhenNothingWasRun) {
  Verdict verdict = passed_verdict();
  verdict.jobs.clear();
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_EQ(said(verdict, "jobs"), "nothing was run");
}

TEST(Judge, DoesNotVerifyWhatTheCommandLineLeftOut) {
  Options options;
  options.pes = {2};
  options.launchers = false;
  const Verdict verdict = passed_verdict(options);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(check_named(verdict, "pes").state, CheckState::kWaived);
  EXPECT_EQ(said(verdict, "pes"), "not run on 8 PEs");
  EXPECT_EQ(said(verdict, "launchers"), "not started by spawn, torchrun");
}

TEST(Judge, LeavesOpenWhatNobodyLeftOut) {
  Verdict verdict = passed_verdict();
  std::erase_if(verdict.jobs, [](const JobResult& item) { return item.job.pes == 8; });
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(check_named(verdict, "pes").state, CheckState::kOpen);
}

TEST(Judge, WantsTheLargestNumberOfPesUpToEight) {
  const contract::Contract contract = *contract::read_changed("\"1..16\"", "\"1..6\"").contract;
  Verdict verdict = passed_verdict();
  verdict.jobs.clear();
  for (const Job& job : plan_jobs(contract, {})) {
    verdict.jobs.push_back(passed(job));
  }
  judge(contract, {}, verdict);
  EXPECT_EQ(verdict.state, State::kVerified) << headline(verdict);
  EXPECT_EQ(said(verdict, "pes"), "run on 2, 6");
}

TEST(Judge, DoesNotVerifyATreeThatDiffers) {
  Verdict verdict = passed_verdict();
  verdict.warnings = {"custom-ops/a.py differs from what generate would write (edited)"};
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(check_named(verdict, "tree").state, CheckState::kOpen);
  EXPECT_NE(said(verdict, "tree").find("first custom-ops/a.py;"), std::string::npos);
}

TEST(Judge, SaysThatEvidenceIsMissing) {
  const contract::Contract contract =
      *contract::read_changed("  review: {result: passed, evidence: review.md}\n", "").contract;
  Verdict verdict = passed_verdict();
  judge(contract, {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(check_named(verdict, "review").state, CheckState::kWaived);
}

TEST(Judge, SaysThatTheWorkersLoadedAnotherTorchNpu) {
  Verdict verdict = passed_verdict();
  verdict.versions.torch_npu = "2.12.0";
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_NE(said(verdict, "versions").find("2.12.0, installed is 2.13.0"), std::string::npos);
}

TEST(Judge, DoesNotVerifyWithASurvivor) {
  Verdict verdict = passed_verdict();
  verdict.mutants = {{"epoch_frozen", "binding", "", "killed", "seed 1", 1},
                     {"state_too_small", "binding", "", "survived", "a larger case", 1}};
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(said(verdict, "mutants"), "1 survived: state_too_small");
  verdict.mutants.back().state = "invalid";
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(said(verdict, "mutants"), "1 could not be judged: state_too_small");
  verdict.mutants.back().state = "equivalent";
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kVerified);
  EXPECT_EQ(said(verdict, "mutants"), "1 killed, 1 equivalent, 0 not applicable");
  verdict.mutants.front().state = "not applicable";
  judge(good_contract(), {}, verdict);
  EXPECT_EQ(verdict.state, State::kUnverified) << "nothing was killed";
}

TEST(Judge, AsksABoardForNoSeeds) {
  Options options;
  Verdict verdict = passed_verdict();
  verdict.versions.simulated = false;
  for (JobResult& result : verdict.jobs) {
    result.job.environment.clear();
  }
  judge(good_contract(), options, verdict);
  EXPECT_EQ(verdict.state, State::kVerified);
  verdict.versions.simulated = true;
  judge(good_contract(), options, verdict);
  EXPECT_EQ(check_named(verdict, "seeds").state, CheckState::kOpen);
}

TEST(Judge, NeverVerifiesASingleJob) {
  Verdict verdict = passed_verdict();
  verdict.jobs.resize(1);
  judge_single(good_contract(), verdict);
  EXPECT_EQ(verdict.state, State::kUnverified);
  EXPECT_EQ(headline(verdict), "one job of it was run");
}

}  // namespace
}  // namespace shmem_bind::verify
