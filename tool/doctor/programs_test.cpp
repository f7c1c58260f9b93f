#include "tool/doctor/programs.h"

#include <gtest/gtest.h>

#include "tool/doctor/testing.h"

namespace shmem_bind::doctor {
namespace {

TEST(Programs, FindsTheVersionInWhatTheyPrint) {
  EXPECT_EQ(version_in("cmake version 3.25.1"), "3.25.1");
  EXPECT_EQ(version_in("g++ (Debian 12.2.0-14) 12.2.0"), "12.2.0");
  EXPECT_EQ(version_in("Debian clang version 16.0.6 (15~deb12u1)"), "16.0.6");
  EXPECT_EQ(version_in("1.11.1"), "1.11.1");
  EXPECT_EQ(version_in("no number here"), "");
}

TEST(Programs, ComparesVersionsByNumberNotByText) {
  EXPECT_TRUE(is_at_least("3.18.0", 3, 18));
  EXPECT_TRUE(is_at_least("4.1", 3, 18));
  EXPECT_FALSE(is_at_least("3.9.6", 3, 18));
  EXPECT_FALSE(is_at_least("", 3, 18));
}

TEST(Programs, ACompilerTellsItsAbi) {
  FakeRunner runner{{"/usr/bin/g++\ng++ (Debian) 12.2.0\n_GLIBCXX_USE_CXX11_ABI 1\n", 0}};
  const Compiler compiler = look_at_compiler("g++", runner);
  EXPECT_EQ(compiler.finding.health, Health::kGreen);
  EXPECT_EQ(compiler.finding.found, "g++ 12.2.0 at /usr/bin/g++");
  EXPECT_EQ(compiler.abi, "1");
}

TEST(Programs, ACompilerThatDoesNotKnowCpp20IsRed) {
  FakeRunner runner{{"/usr/bin/g++\ng++ 8.3.0\nerror: unrecognized option -std=c++20\n", 1}};
  const Compiler compiler = look_at_compiler("g++", runner);
  EXPECT_EQ(compiler.finding.health, Health::kRed);
  EXPECT_EQ(compiler.finding.fix, "apt-get install g++");
  EXPECT_EQ(compiler.abi, "");
}

TEST(Programs, AnOldOrMissingCMakeIsRed) {
  FakeRunner old{{"/usr/bin/cmake\ncmake version 3.9.6\n", 0}};
  EXPECT_EQ(look_at_cmake(old).health, Health::kRed);
  FakeRunner missing{{"", 127}};
  EXPECT_EQ(look_at_cmake(missing).found, "cmake cannot be started");
}

TEST(Programs, MakeStandsInForNinja) {
  FakeRunner runner{{"", 127}, {"/usr/bin/make\nGNU Make 4.3\n", 0}};
  EXPECT_EQ(look_at_ninja(runner).health, Health::kYellow);
  FakeRunner neither{{"", 127}, {"", 127}};
  EXPECT_EQ(look_at_ninja(neither).health, Health::kRed);
}

}  // namespace
}  // namespace shmem_bind::doctor
