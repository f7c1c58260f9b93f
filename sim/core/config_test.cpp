#include "sim/core/config.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/core/choose.h"
#include "tests/support/in_child.h"

namespace shmem_sim {
namespace {

using tests::in_child;

// Exit code of a child that reads its settings.
int exit_code_under(const char* variable, const char* value) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("SHMEM_SIM_SEED");
    setenv(variable, value, 1);
    config();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<uint64_t> choices(int count) {
  std::vector<uint64_t> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(choose(1000));
  }
  return result;
}

TEST(Config, IsReadFromTheEnvironment) {
  in_child({{"SHMEM_SIM_DEVICES", "3"}, {"SHMEM_SIM_TRACE", "1"}, {"SHMEM_SIM_SOC", "Other"}}, [] {
    EXPECT_EQ(config().devices, 3);
    EXPECT_TRUE(config().trace);
    EXPECT_EQ(config().soc, "Other");
    EXPECT_EQ(config().hold_us, 20000);
    EXPECT_FALSE(config().adversarial());
  });
}

TEST(Config, IsReadAgainAfterAFork) {
  in_child({{"SHMEM_SIM_DEVICES", "3"}}, [] {
    EXPECT_EQ(config().devices, 3);
    in_child({{"SHMEM_SIM_DEVICES", "4"}}, [] { EXPECT_EQ(config().devices, 4); });
    EXPECT_EQ(config().devices, 3);
  });
}

TEST(Config, AMalformedSettingEndsTheProcess) {
  EXPECT_EQ(exit_code_under("SHMEM_SIM_DEVICES", "8"), 0);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_DEVICES", "many"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_DEVICES", "33"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_DEVICES", "8x"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_TRACE", "yes"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_SEED", "chance"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_BLOCK_ORDER", "sideways"), 2);
  EXPECT_EQ(exit_code_under("SHMEM_SIM_BLOCK_ORDER", "random"), 2);  // from which seed?
}

TEST(Config, EverySettingIsDescribed) {
  const std::string text = describe_settings();
#define SETTING(member, variable, type, fallback, help) \
  EXPECT_NE(text.find(variable), std::string::npos);
#include "sim/core/config.def"
#undef SETTING
}

TEST(Choose, IsAlwaysTheFirstWithoutASeed) {
  in_child({}, [] { EXPECT_EQ(choices(20), std::vector<uint64_t>(20, 0)); });
}

TEST(Choose, RepeatsWithItsSeedAndInEveryForkedChild) {
  in_child({{"SHMEM_SIM_SEED", "5"}}, [] {
    const std::vector<uint64_t> first = choices(50);
    in_child({{"SHMEM_SIM_SEED", "5"}}, [&] { EXPECT_EQ(choices(50), first); });
    in_child({{"SHMEM_SIM_SEED", "6"}}, [&] { EXPECT_NE(choices(50), first); });
    EXPECT_NE(choices(50), first);
  });
}

TEST(Choose, StaysBelowItsLimitAndMeetsEverything) {
  in_child({{"SHMEM_SIM_SEED", "1"}}, [] {
    std::set<uint64_t> seen;
    for (int i = 0; i < 400; ++i) {
      seen.insert(choose(7));
    }
    EXPECT_EQ(seen, (std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(choose(1), 0u);
  });
}

}  // namespace
}  // namespace shmem_sim
