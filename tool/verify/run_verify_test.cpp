#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tool/binding/file_set.h"
#include "tool/binding/plan_tree.h"
#include "tool/verify/json_fields.h"
#include "tool/verify/testing.h"
#include "tool/verify/verdict.h"

namespace shmem_bind::verify {
namespace {

// Plays the generated test: reads the plan, lets `change` spoil the report, writes it.
class FakeTest : public ProcessRunner {
 public:
  explicit FakeTest(MemoryFileSystem& files) : files_(files) {}
  std::function<void(Json& results)> change = [](Json&) {};
  std::string findings;
  int exit_code = 0;
  bool times_out = false;
  bool writes = true;
  Json plan;
  Command last;

  ProcessResult run(const Command& command, const std::function<void(std::string_view)>&) override {
    last = command;
    plan = Json::parse(files_.files.at(word_behind(command, "--plan")));
    Json results = Json::array();
    for (const Json& job : plan) {
      const auto count = job["pes"].get<size_t>() * job["dtypes"].size() * job["cases"].size() *
                         job["calls"].get<size_t>();
      results.push_back({{"passed", true},
                         {"problems", Json::array()},
                         {"records", count},
                         {"seconds", 0.1},
                         {"torch_npu", "2.13.0"},
                         {"torch_npu_path", "/venv/torch_npu"}});
    }
    change(results);
    if (writes) {
      files_.files[word_behind(command, "--report")] = Json{{"results", results}}.dump();
    }
    if (!findings.empty()) {
      files_.files[plan[0]["environment"]["SHMEM_SIM_FINDINGS"].get<std::string>()] = findings;
    }
    return {exit_code, times_out, "the last line"};
  }

 private:
  static std::string word_behind(const Command& command, const std::string& option) {
    return *(std::find(command.words.begin(), command.words.end(), option) + 1);
  }
  MemoryFileSystem& files_;
};

class RunVerify : public ::testing::Test {
 protected:
  RunVerify() {
    target.cann_version = "8.5.0";
    target.torch_npu_version = "2.13.0";
    target.simulated = true;
    for (const auto& [path, file] : binding::plan_tree(contract, {}).plan) {
      files.files["/tree/" + path] = file.text;
    }
  }
  Verdict run(const Options& options = {}) {
    return run_verify(contract, options, {"/tree", target, files, test, {}});
  }

  contract::Contract contract = good_contract();
  build::Target target;
  MemoryFileSystem files;
  FakeTest test{files};
};

TEST_F(RunVerify, VerifiesACurrentTreeWhoseTestPasses) {
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kVerified) << headline(verdict);
  EXPECT_EQ(verdict.folder, "/tree/custom-ops/copy_rows");
  EXPECT_EQ(verdict.digest, contract.digest);
  EXPECT_EQ(verdict.versions.torch_npu, "2.13.0");
  EXPECT_EQ(verdict.versions.cann, "8.5.0");
  EXPECT_EQ(verdict.versions.compiler, "") << "there is no library that could say";
}

TEST_F(RunVerify, TakesTheClassOfAFailureFromTheReport) {
  test.exit_code = 1;
  test.change = [](Json& results) {
    results[1].update({{"passed", false},
                       {"problems", {"PE 1 is gone"}},
                       {"records", 0},
                       {"class", "lifecycle"},
                       {"hint", "look there"},
                       {"first_error", "PE 1: killed"},
                       {"stands", {{"0", "barrier"}}},
                       {"retried", "the endpoint was taken"},
                       {"calls", {{{"pe", 1}, {"dtype", "int32"}, {"case", "xs"}, {"call", 2}}}}});
  };
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kFailed);
  const JobResult& result = verdict.jobs[1];
  EXPECT_EQ(result.failure_class, "lifecycle");
  EXPECT_EQ(result.stands.at("0"), "barrier");
  EXPECT_EQ(result.retried, "the endpoint was taken");
  EXPECT_EQ(result.calls.at(0).case_name, "xs");
  EXPECT_EQ(headline(verdict), result.job.name + ": PE 1: killed");
}

TEST_F(RunVerify, ShowsTheVariantsOfAProofOfThisState) {
  files.files["/tree/custom-ops/copy_rows/src/copy_rows_kernel.cpp"] = "kernel";
  const std::string sources = sources_digest(contract, "/tree", files);
  const Json rows = {
      {{"id", "b01"}, {"kind", "binding"}, {"title", "epoch frozen"}, {"state", "killed"}},
      {{"id", "k01"}, {"kind", "kernel"}, {"title", "tail"}, {"state", "survived"}},
      {{"id", "k02"}, {"kind", "kernel"}, {"title", "new"}, {"state", "unheard of"}}};
  Json proof = {{"schema", 1},
                {"tool", binding::kToolVersion},
                {"contract", contract.digest},
                {"sources", sources},
                {"state", "not proved"},
                {"reasons", {"1 survived"}},
                {"mutants", rows}};
  std::string& record = files.files["/tree/custom-ops/copy_rows/build/prove.json"];
  record = proof.dump();
  const Verdict verdict = run();
  ASSERT_EQ(verdict.mutants.size(), 3U) << to_text(verdict);
  EXPECT_EQ(verdict.mutants[2].state, "invalid");
  EXPECT_EQ(verdict.state, State::kUnverified) << "a variant survived";
  EXPECT_NE(to_text(verdict).find("k01 SURVIVED: tail"), std::string::npos) << to_text(verdict);
  EXPECT_EQ(verdict.notes, std::vector<std::string>{"prove.json says not proved: 1 survived"});
  const auto with = [&](const char* key, const Json& value) {
    Json other = proof;
    other[key] = value;
    return other.dump();
  };
  for (const auto& [text, why] :
       {std::pair{std::string("{"), "cannot be read"},
        std::pair{with("schema", 2), "has schema 2, this shmem-bind reads 1"},
        std::pair{with("mutants", Json::array()), "names no variant"},
        std::pair{with("sources", "another"), "is of another state"},
        std::pair{with("tool", "another"), "is of another state"},
        std::pair{with("contract", "another"), "is of another state"}}) {
    record = text;
    const Verdict other = run();
    EXPECT_TRUE(other.mutants.empty());
    EXPECT_EQ(other.state, State::kVerified) << "as without a proof";
    ASSERT_EQ(other.notes.size(), 1U);
    EXPECT_NE(other.notes[0].find(why), std::string::npos) << other.notes[0];
    EXPECT_NE(to_text(other).find("note: prove.json "), std::string::npos);
  }
}

TEST_F(RunVerify, BelievesNoReportThatIsIncomplete) {
  test.change = [](Json& results) { results[0]["records"] = 1; };
  EXPECT_EQ(run().state, State::kFailed) << "too few records";
  test.change = [](Json& results) { results.erase(results.size() - 1); };
  EXPECT_EQ(run().state, State::kFailed) << "a job is missing";
  test.change = [](Json& results) { results[0].erase("passed"); };
  EXPECT_EQ(run().state, State::kFailed) << "a job does not say that it passed";
  test.change = [](Json& results) {
    results[0]["calls"] = Json::array({Json{{"pe", 0}, {"detail", "differs"}}});
  };
  EXPECT_EQ(run().state, State::kFailed) << "passed, with a call that failed";
  test.change = [](Json& results) { results = "nonsense"; };
  EXPECT_EQ(run().state, State::kFailed);
}

TEST_F(RunVerify, BelievesNoReportThatTheExitCodeContradicts) {
  test.exit_code = 139;
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_EQ(headline(verdict), "test: the report says passed, the exit code is 139");
}

TEST_F(RunVerify, SaysWhenThereIsNoReport) {
  test.writes = false;
  test.exit_code = 1;
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_NE(verdict.problems.at(0).find("no report, exit code 1\n    the last line"),
            std::string::npos);
  test.writes = true;
  test.times_out = true;
  EXPECT_NE(run().problems.at(0).find("not finished within"), std::string::npos);
}

TEST_F(RunVerify, FailsByAFindingOfTheSimulator) {
  test.findings = R"({"rule": "race", "pe": 1, "kernel": "k", "detail": "d"})"
                  "\nno json\n";
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_EQ(verdict.findings, (std::vector<std::string>{"race: PE 1, kernel k: d", "no json"}));
}

TEST_F(RunVerify, DoesNotVerifyATestThatWasEdited) {
  files.files["/tree/custom-ops/copy_rows/scripts/torch_test_copy_rows.py"] += "# edited\n";
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kUnverified);
  ASSERT_EQ(verdict.warnings.size(), 1U);
  EXPECT_NE(verdict.warnings[0].find("torch_test_copy_rows.py differs"), std::string::npos);
}

TEST_F(RunVerify, GivesTheTestTheSizesOfCasesThatItDoesNotKnow) {
  const Verdict verdict = run();
  EXPECT_EQ(verdict.cases.at("zero size"), (Sizes{{"rows", 0}, {"cols", 32}}));
  size_t zeros = 0;
  for (const Json& job : test.plan) {
    if (job["cases"].is_object()) {
      ++zeros;
      EXPECT_EQ(job["cases"],
                (Json{{"size7", {{"cols", 7}, {"rows", 7}}},
                      {"zero size", {{"cols", 32}, {"rows", 0}}}}));
    }
  }
  EXPECT_EQ(zeros, 2U);
}

TEST_F(RunVerify, FailsByJobsThatWereNotRunAfterOneThatHung) {
  test.exit_code = 1;
  test.change = [](Json& results) {
    results[1] = {{"passed", false}, {"class", "timeout"}, {"problems", {"hung"}}};
    results[2] = {{"passed", false}, {"skipped", "after job 2"}, {"problems", Json::array()}};
  };
  const Verdict verdict = run();
  EXPECT_EQ(verdict.state, State::kFailed);
  EXPECT_EQ(verdict.jobs[2].skipped, "after job 2");
  EXPECT_TRUE(verdict.jobs[2].problems.empty());
  const Check& jobs = check_named(verdict, "jobs");
  EXPECT_EQ(jobs.why.id, "jobs.skipped");
  EXPECT_EQ(jobs.why.arguments.back(), "1");
  EXPECT_NE(to_junit({verdict}).find("<skipped message=\"after job 2\"/>"), std::string::npos);
  EXPECT_NE(to_text(verdict).find("not run\n      after job 2\n"), std::string::npos);
}

TEST_F(RunVerify, FailsWhenOnlyJobsThatWereNotRunAreLeftOver) {
  test.exit_code = 1;
  test.change = [](Json& results) {
    results[0] = {{"passed", false}, {"skipped", "says so"}, {"problems", Json::array()}};
  };
  EXPECT_EQ(run().state, State::kFailed);
}

// A test written by hand reports nothing, or what it likes.
TEST_F(RunVerify, RunsItsOwnTestOnATreeWrittenByHand) {
  const std::string path = "custom-ops/copy_rows/scripts/torch_test_copy_rows.py";
  const std::string generated = files.files.at("/tree/" + path);
  for (const bool is_there : {true, false}) {
    files.files.erase("/tree/" + path);
    if (is_there) {
      files.files["/tree/" + path] = "print('All processes finished successfully')\n";
    }
    const Verdict verdict = run();
    EXPECT_EQ(verdict.state, State::kUnverified);
    EXPECT_NE(verdict.warnings.at(0).find(path + " is no test of shmem-bind"), std::string::npos);
    const auto script = std::find_if(test.last.words.begin(),
                                     test.last.words.end(),
                                     [&](const std::string& word) { return word.ends_with(path); });
    ASSERT_NE(script, test.last.words.end());
    EXPECT_EQ(files.files.at(*script), generated);
    EXPECT_TRUE(test.last.environment.at("LD_LIBRARY_PATH")
                    .starts_with("/tree/custom-ops/torch_binding/build/lib:"
                                 "/tree/custom-ops/copy_rows/build/lib:"));
  }
  EXPECT_EQ(files.files.count("/tree/" + path), 0U) << "the tree is left as it was";
}

TEST_F(RunVerify, RepeatsOneJobAsItWas) {
  const Verdict verdict = run();
  const Job& job = verdict.jobs.at(3).job;
  Options options;
  options.deadline_s = 7;
  const Verdict again = run_jobs(contract, {job}, options, {"/tree", target, files, test, {}});
  ASSERT_EQ(test.plan.size(), 1U);
  EXPECT_EQ(test.plan[0]["name"], job.name);
  EXPECT_EQ(test.plan[0]["seed"], job.seed);
  EXPECT_EQ(test.plan[0]["deadline"], 7);
  const auto& [setting, value] = job.environment.at(0);
  EXPECT_EQ(test.plan[0]["environment"][setting], value);
  EXPECT_EQ(again.jobs.size(), 1U);
}

}  // namespace
}  // namespace shmem_bind::verify
