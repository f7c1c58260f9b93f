#include "tool/prove/judge_variant.h"

#include <gtest/gtest.h>

#include "tool/prove/prove.h"
#include "tool/prove/test_judge.h"

namespace shmem_bind::prove {
namespace {

End end_of(bool passed, const std::string& kind, const std::string& problem) {
  End end;
  end.reported = true;
  end.result.passed = passed;
  end.result.failure_class = kind;
  end.result.problems = problem.empty() ? std::vector<std::string>{} : std::vector{problem};
  end.announced = {"b01", "b01"};
  return end;
}

Shown shown(const End& end, const std::vector<std::string>& expected = {"b01"}) {
  return judge_end(end, expected).shown;
}

TEST(JudgeEnd, AKillIsAFinding) {
  EXPECT_EQ(shown(end_of(true, "", "")), Shown::kNothingWrong);
  EXPECT_EQ(shown(end_of(false, "mismatch", "PE 0 结果不符")), Shown::kFound);
  EXPECT_EQ(shown(end_of(false, "lifecycle", "PE 0 的退出码是 -6")), Shown::kFound);
}

TEST(JudgeEnd, AMissingResultIsNone) {
  EXPECT_EQ(shown(End{}), Shown::kUnclear);
  End skipped = end_of(false, "", "");
  skipped.result.skipped = "not run";
  EXPECT_EQ(shown(skipped), Shown::kUnclear);
}

TEST(JudgeEnd, ATimeoutCountsOnlyWhenTheSimulatorSaysSo) {
  End late = end_of(false, "timeout", "PE [0] 到期限 30 s 时没有结束");
  EXPECT_EQ(shown(late), Shown::kUnclear);
  late.findings = {"peer-lost: PE 1"};
  EXPECT_EQ(shown(late), Shown::kUnclear) << "it follows from the deadline";
  late.findings.emplace_back("wait-deadline: a wait did not end within 2000 ms");
  EXPECT_EQ(shown(late), Shown::kFound);
}

TEST(JudgeEnd, TheMachineIsNoFinding) {
  EXPECT_EQ(shown(end_of(false, "environment", "Address already in use")), Shown::kUnclear);
  EXPECT_EQ(shown(end_of(false, "load", "cannot open shared object file")), Shown::kUnclear);
  EXPECT_EQ(shown(end_of(false, "lifecycle", "PE 0 的退出码是 -9")), Shown::kUnclear);
}

TEST(JudgeEnd, TheVariantHasToBeTheOneThatWasLoaded) {
  const End wrong = end_of(false, "mismatch", "PE 0 结果不符");
  EXPECT_EQ(shown(wrong, {"b02"}), Shown::kUnclear);
  EXPECT_EQ(shown(wrong, {"b01", "k01"}), Shown::kUnclear);
  End nothing = wrong;
  nothing.announced.clear();
  EXPECT_EQ(judge_end(nothing, {"b01"}).why, "loaded was nothing instead of b01");
}

verify::Mutant judged(const std::vector<TestRun>& runs, const std::string& drift) {
  verify::Mutant row;
  judge_test(row, runs, drift);
  return row;
}

TEST(JudgeTest, FailsTheUnchangedOperatorOrIsSeenAsEdited) {
  const End passes = end_of(true, "", "");
  const End fails = end_of(false, "mismatch", "PE 0 结果不符");
  EXPECT_EQ(judged({{"", fails}}, "").state, "killed");
  EXPECT_EQ(judged({{"", passes}, {"storage", passes}}, "").state, "survived");
  const verify::Mutant seen = judged({{"", passes}, {"storage", passes}}, "x.py differs");
  EXPECT_EQ(seen.state, "killed");
  EXPECT_NE(seen.by.find("would miss: storage"), std::string::npos) << seen.by;
}

TEST(JudgeTest, ACrashOfTheTestIsNoKill) {
  EXPECT_EQ(judged({{"", End{}}}, "x.py differs").state, "invalid");
}

Proof whole_proof() {
  Proof proof;
  for (const auto& [kind, count] : {std::pair{"binding", 24}, {"test", 8}, {"kernel", 8}}) {
    for (int i = 0; i < count; ++i) {
      proof.mutants.push_back({"", kind, "", "killed", "", 0});
    }
  }
  return proof;
}

TEST(Proof, HoldsWhenEverythingWasFound) {
  EXPECT_TRUE(whole_proof().holds());
  EXPECT_NE(to_json(whole_proof()).find("\"state\": \"proved\""), std::string::npos);
}

TEST(Proof, SurvivorsInvalidOnesAndTooFewAreNone) {
  for (const char* state : {"survived", "invalid"}) {
    Proof proof = whole_proof();
    proof.mutants.push_back({"", "kernel", "", state, "", 0});
    EXPECT_FALSE(proof.holds()) << state;
  }
  Proof few = whole_proof();
  few.mutants.pop_back();
  EXPECT_FALSE(few.holds());
  few.mutants.push_back({"", "kernel", "", "not applicable", "no such feature", 0});
  EXPECT_TRUE(few.holds());
  Proof problem = whole_proof();
  problem.problems = {"the test crashed"};
  EXPECT_FALSE(problem.holds());
}

TEST(Proof, APartIsNeverProved) {
  Proof proof = whole_proof();
  proof.is_whole = false;
  EXPECT_FALSE(proof.holds());
  EXPECT_EQ(to_text(proof).find("proved,"), std::string::npos);
  EXPECT_NE(to_json(proof).find("\"state\": \"unverified\""), std::string::npos);
}

}  // namespace
}  // namespace shmem_bind::prove
