#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tool/contract/testing.h"
#include "tool/verify/verify.h"

namespace shmem_bind::verify {
namespace {

contract::Contract contract_with(std::string_view from = "rows", std::string_view to = "rows") {
  return *contract::read_changed(from, to).contract;
}

std::vector<Job> jobs_at(const std::vector<Job>& jobs, int64_t pes) {
  std::vector<Job> found;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(found), [=](const Job& job) {
    return job.pes == pes;
  });
  return found;
}

std::set<int64_t> counts_of(const std::vector<Job>& jobs) {
  std::set<int64_t> counts;
  for (const Job& job : jobs) {
    counts.insert(job.pes);
  }
  return counts;
}

bool has_setting(const Job& job, const std::string& name) {
  return std::any_of(job.environment.begin(), job.environment.end(), [&](const auto& item) {
    return item.first == name;
  });
}

TEST(PlanJobs, CoversTwoAndEightPesEagerlyAndUnderFiveSeeds) {
  const std::vector<Job> jobs = plan_jobs(contract_with(), {});
  EXPECT_EQ(counts_of(jobs), (std::set<int64_t>{2, 8}));
  for (const int64_t pes : {2, 8}) {
    const std::vector<Job> here = jobs_at(jobs, pes);
    const auto seeded = std::count_if(here.begin(), here.end(), [](const Job& job) {
      return has_setting(job, "SHMEM_SIM_SEED") && !job.side_streams && job.cases.size() > 1;
    });
    EXPECT_EQ(seeded, 5) << pes;
    EXPECT_EQ(here.front().dtypes, (std::vector<std::string>{"int32", "fp16"}));
    EXPECT_TRUE(here.front().environment.empty()) << "the first job is eager";
  }
}

TEST(PlanJobs, SeesEveryDtypeUnderSomeSeed) {
  const std::vector<Job> jobs =
      plan_jobs(contract_with("[int32, fp16]", "[int8, int32, fp16, bf16, fp32]"), {});
  std::set<std::string> seen;
  for (const Job& job : jobs_at(jobs, 8)) {
    if (has_setting(job, "SHMEM_SIM_SEED")) {
      seen.insert(job.dtypes.begin(), job.dtypes.end());
    }
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(PlanJobs, StaysWithinTheContractsPes) {
  EXPECT_EQ(counts_of(plan_jobs(contract_with("\"1..16\"", "\"1..6\""), {})),
            (std::set<int64_t>{2, 6}));
  EXPECT_EQ(counts_of(plan_jobs(contract_with("\"1..16\"", "[4]"), {})), (std::set<int64_t>{4}));
}

TEST(PlanJobs, FollowsTheOptions) {
  Options options;
  options.pes = {3};
  options.seeds = {7, 9};
  options.calls = 40;
  options.launchers = false;
  const std::vector<Job> jobs = plan_jobs(contract_with(), options);
  EXPECT_EQ(counts_of(jobs), (std::set<int64_t>{3}));
  for (const Job& job : jobs) {
    EXPECT_EQ(job.launcher, "fork");
  }
  EXPECT_EQ(jobs.front().calls, 40);
  EXPECT_EQ(jobs.back().name, "3 PEs, seed 9");
}

TEST(PlanJobs, ChangesShapesStreamsObjectsAndLives) {
  const std::vector<Job> jobs = plan_jobs(contract_with(), {});
  for (const int64_t pes : {2, 8}) {
    const std::vector<Job> here = jobs_at(jobs, pes);
    EXPECT_EQ(std::count_if(here.begin(),
                            here.end(),
                            [](const Job& job) { return job.mixed && job.derived.empty(); }),
              1);
    EXPECT_EQ(
        std::count_if(here.begin(), here.end(), [](const Job& job) { return job.side_streams; }),
        1);
  }
  const auto again =
      std::find_if(jobs.begin(), jobs.end(), [](const Job& job) { return job.lives > 1; });
  ASSERT_NE(again, jobs.end());
  EXPECT_EQ(again->pes, 2);
  EXPECT_EQ(again->objects, 2);
  EXPECT_EQ(again->calls % again->lives, 0) << "every life makes as many calls";
}

// A dtype named twice would file every record twice.
TEST(PlanJobs, NamesNoDtypeTwice) {
  for (const Job& job : plan_jobs(contract_with("[int32, fp16]", "[int32]"), {})) {
    EXPECT_EQ(std::set<std::string>(job.dtypes.begin(), job.dtypes.end()).size(), job.dtypes.size())
        << job.name;
  }
}

TEST(PlanJobs, CallsWithoutElementsWhereTheContractAllowsIt) {
  const auto zeros = [](const std::vector<Job>& jobs) {
    return std::count_if(jobs.begin(), jobs.end(), [](const Job& job) {
      return job.mixed && job.derived.contains("zero size") && job.cases.size() == 2;
    });
  };
  EXPECT_EQ(zeros(plan_jobs(contract_with(), {})), 2) << "on 2 and on 8 PEs";
  Options full;
  full.full = true;
  EXPECT_EQ(zeros(plan_jobs(contract_with(), full)), 5);
  EXPECT_EQ(zeros(plan_jobs(contract_with("  block_dim: \"8\"",
                                          "  require: [\"rows > 0\"]\n  block_dim: \"8\""),
                            {})),
            0);
}

TEST(PlanJobs, TakesOnlyDtypesAndCasesThatAreAskedFor) {
  Options options;
  options.dtypes = {"fp16"};
  options.cases = {"size64"};
  for (const bool full : {false, true}) {
    options.full = full;
    for (const Job& job : plan_jobs(contract_with(), options)) {
      EXPECT_EQ(job.dtypes, options.dtypes) << job.name;
      EXPECT_EQ(job.cases, options.cases) << job.name;
    }
  }
}

Options whole_matrix() {
  Options options;
  options.full = true;
  return options;
}

TEST(PlanFull, CoversEveryPeCountDtypeAndCase) {
  const contract::Contract contract = contract_with();
  const std::vector<Job> jobs = plan_jobs(contract, whole_matrix());
  EXPECT_EQ(counts_of(jobs), (std::set<int64_t>{1, 2, 3, 4, 8}));
  for (const int64_t pes : counts_of(jobs)) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const Job& job : jobs_at(jobs, pes)) {
      EXPECT_GE(job.calls, 3) << job.name;
      for (const std::string& dtype : job.dtypes) {
        for (const std::string& name : job.cases) {
          seen.emplace(dtype, name);
        }
      }
    }
    for (const std::string dtype : {"int32", "fp16"}) {
      for (const contract::Case& item : contract.cases) {
        EXPECT_TRUE(seen.contains({dtype, item.name})) << pes << " " << dtype << " " << item.name;
      }
      EXPECT_TRUE(seen.contains({dtype, "chunk tail 513x257"})) << pes << " " << dtype;
    }
  }
}

TEST(PlanFull, HasTenSeedsWithEveryDtypeAndAllShapesBetweenThem) {
  for (const int64_t pes : {1, 8}) {
    std::set<std::string> cases;
    int64_t seeded = 0;
    for (const Job& job : jobs_at(plan_jobs(contract_with(), whole_matrix()), pes)) {
      if (job.seed > 0) {
        ++seeded;
        EXPECT_EQ(job.dtypes.size(), 2U) << job.name;
        cases.insert(job.cases.begin(), job.cases.end());
      }
    }
    EXPECT_EQ(seeded, 10);
    EXPECT_TRUE(cases.contains("size129") && cases.contains("odd 7x13"));
  }
}

TEST(PlanFull, LivesAndLaunchesEverywhere) {
  const std::vector<Job> jobs = plan_jobs(contract_with(), whole_matrix());
  std::set<int64_t> lives;
  std::set<std::pair<int64_t, std::string>> launched;
  for (const Job& job : jobs) {
    if (job.lives > 1 && job.objects > 1) {
      lives.insert(job.pes);
    }
    launched.emplace(job.pes, job.launcher);
  }
  EXPECT_EQ(lives.size(), 5U);
  for (const char* launcher : {"spawn", "torchrun"}) {
    EXPECT_TRUE(launched.contains({2, launcher}) && launched.contains({8, launcher}));
  }
}

TEST(PlanFull, StaysWithinTheContract) {
  const auto counts = [](const std::string& n_pes) {
    return counts_of(plan_jobs(contract_with("\"1..16\"", n_pes), whole_matrix()));
  };
  EXPECT_EQ(counts("\"2..6\""), (std::set<int64_t>{2, 3, 4, 6}));
  EXPECT_EQ(counts("[4]"), (std::set<int64_t>{4}));
}

TEST(PlanJobs, StartsOtherwiseTooUnlessToldNotTo) {
  std::set<std::string> launchers;
  for (const Job& job : plan_jobs(contract_with(), {})) {
    launchers.insert(job.launcher);
  }
  EXPECT_EQ(launchers, (std::set<std::string>{"fork", "spawn", "torchrun"}));
}

}  // namespace
}  // namespace shmem_bind::verify
