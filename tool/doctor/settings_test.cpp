#include "tool/doctor/settings.h"

#include <gtest/gtest.h>

namespace shmem_bind::doctor {
namespace {

class Settings : public ::testing::Test {
 protected:
  Settings() {
    target.cann = "/sim/cann";
    target.shmem = "/sim/shmem";
    target.simulated = true;
    files.files["/sim/cann/settings.txt"] = "SHMEM_SIM_SEED\nSHMEM_SIM_TRACE\n";
  }
  MemoryFileSystem files;
  build::Target target;
};

TEST_F(Settings, ListsTheOnesThatTheSimulatorKnows) {
  const Findings findings =
      look_at_settings({{"PATH", "/bin"}, {"SHMEM_SIM_SEED", "7"}}, target, files);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].health, Health::kGreen);
  EXPECT_EQ(findings[0].found, "SHMEM_SIM_SEED=7");
}

TEST_F(Settings, RefusesOneThatNothingReadsAndNamesTheNearest) {
  const Findings findings = look_at_settings({{"SHMEM_SIM_SEDE", "7"}}, target, files);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].health, Health::kRed);
  EXPECT_EQ(findings[0].fix, "unset SHMEM_SIM_SEDE; export SHMEM_SIM_SEED=7");
}

TEST_F(Settings, OnlyUnsetsOneThatIsNearNothing) {
  const Findings findings = look_at_settings({{"SHMEM_SIM_WEATHER", "1"}}, target, files);
  EXPECT_EQ(findings[0].fix, "unset SHMEM_SIM_WEATHER");
}

TEST_F(Settings, AreWithoutMeaningOnABoard) {
  target.simulated = false;
  EXPECT_EQ(look_at_settings({{"SHMEM_SIM_SEED", "7"}}, target, files)[0].health, Health::kYellow);
}

TEST_F(Settings, NamesVariablesOfAnotherInstallation) {
  const Findings findings = look_at_roots({{"ASCEND_OPP_PATH", "/old/opp"},
                                           {"ASCEND_TOOLKIT_HOME", "/sim/cann"},
                                           {"SHMEM_HOME_PATH", "/sim/shmem/install"}},
                                          target);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].found, "ASCEND_OPP_PATH=/old/opp does not belong to /sim/cann");
  EXPECT_EQ(findings[0].fix, ". /sim/cann/set_env.sh");
}

}  // namespace
}  // namespace shmem_bind::doctor
