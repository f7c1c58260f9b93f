#include "tool/doctor/examine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool/doctor/testing.h"

namespace shmem_bind::doctor {
namespace {

Findings examined(Host host, const build::TargetOptions& options, MemoryFileSystem& files) {
  FakeRunner runner{};
  return examine(options, host, files, runner);
}

Finding named(const Findings& findings, const std::string& name) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.name == name;
  });
  EXPECT_NE(found, findings.end()) << name;
  return found == findings.end() ? Finding() : *found;
}

TEST(Examine, GivesEveryRedFindingACommand) {
  MemoryFileSystem files;
  const Host host{{}, Failure{"cannot listen on 127.0.0.1"}, 100};
  const Findings findings = examined(host, {"/none", "/none", "/none/python", ""}, files);
  for (const char* name :
       {"compiler", "cmake", "ninja", "CANN", "SHMEM", "python", "ports", "memory"}) {
    EXPECT_EQ(named(findings, name).health, Health::kRed) << name;
  }
  for (const Finding& finding : findings) {
    EXPECT_TRUE(finding.health != Health::kRed || !finding.fix.empty()) << finding.name;
  }
}

TEST(Examine, GradesMemoryByTheNumberOfPes) {
  MemoryFileSystem files;
  const auto health = [&files](std::optional<int64_t> mib) {
    return named(examined({{}, 1, mib}, {}, files), "memory").health;
  };
  EXPECT_EQ(health(800), Health::kRed);
  EXPECT_EQ(health(2000), Health::kYellow);
  EXPECT_EQ(health(9000), Health::kGreen);
  EXPECT_EQ(health(std::nullopt), Health::kYellow);
}

TEST(Examine, RefusesASimulatedCannWithARealShmem) {
  MemoryFileSystem files;
  for (const char* path : {"/sim/cann/set_env.sh",
                           "/sim/cann/include/acl/acl.h",
                           "/sim/cann/lib64/libascendcl.so",
                           "/real/shmem/install/set_env.sh",
                           "/real/shmem/install/shmem/include/shmem.h",
                           "/real/shmem/install/shmem/lib/libshmem.so"}) {
    files.files[path] = "";
  }
  files.files["/sim/cann/version.info"] = "version_dir=simulated\n";
  const Findings findings = examined({{}, 1, 9000}, {"/sim/cann", "/real/shmem", "", ""}, files);
  EXPECT_EQ(named(findings, "CANN").health, Health::kGreen);
  EXPECT_EQ(named(findings, "SHMEM").health, Health::kRed);
  EXPECT_EQ(named(findings, "SHMEM").fix,
            "unset SHMEM_REPO SHMEM_HOME_PATH; . /sim/cann/set_env.sh");
}

}  // namespace
}  // namespace shmem_bind::doctor
