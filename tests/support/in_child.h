#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Tests that need a process of their own: the simulator reads its settings once and keeps device
// errors, and each test wants other settings. EXPECT_* inside the body count; the parent touches
// nothing of the simulator.

namespace shmem_sim::tests {

using Settings = std::vector<std::pair<const char*, std::string>>;

inline int& findings_descriptor() {
  static int descriptor = -1;
  return descriptor;
}

// What the simulator has reported so far in this child, one JSON object a line.
inline std::string findings() {
  std::string text;
  char buffer[4096];
  off_t at = 0;
  for (ssize_t got = 0; (got = pread(findings_descriptor(), buffer, sizeof buffer, at)) > 0;
       at += got) {
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

[[noreturn]] inline void run_as_child(const Settings& settings, const std::function<void()>& body) {
  alarm(60);  // a test that hangs dies alone
  findings_descriptor() = memfd_create("findings", 0);
  setenv(
      "SHMEM_SIM_FINDINGS", ("/proc/self/fd/" + std::to_string(findings_descriptor())).c_str(), 1);
  unsetenv("SHMEM_SIM_SEED");
  for (const auto& [name, value] : settings) {
    setenv(name, value.c_str(), 1);
  }
  body();
  std::fflush(nullptr);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

// Runs `body` in a forked child under these settings and expects it to end without a failure.
inline void in_child(const Settings& settings, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    run_as_child(settings, body);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::string under;
  for (const auto& [name, value] : settings) {
    under += std::string(" ") + name + "=" + value;
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                              : "exit " + std::to_string(WEXITSTATUS(status)))
      << " under" << under;
}

}  // namespace shmem_sim::tests
