#include "tool/base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace shmem_bind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Command shell(const std::string& script) {
  Command command;
  command.words = {"sh", "-c", script};
  command.deadline = seconds(20);
  return command;
}

ProcessResult run(const Command& command) {
  return RealProcessRunner().run(command, {});
}

bool has_ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state = "gone";
  file >> number >> name >> state;
  return state == "gone" || state == "Z";  // a zombie until its new parent looks
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 200 && !has_ended(pid); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  return has_ended(pid);
}

TEST(Process, GivesOutputAndExitCode) {
  const ProcessResult result = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(run(shell("true")).ok());
}

TEST(Process, StreamsWholeLines) {
  std::vector<std::string> lines;
  RealProcessRunner().run(shell("printf 'a\\nb'; sleep 0.05; printf 'c\\n\\nlast'"),
                          [&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc", "", "last"}));
}

TEST(Process, RunsInItsFolderWithItsEnvironment) {
  Command command = shell("pwd; echo $ONE $HOME");
  command.folder = "/";
  command.environment = {{"ONE", "1"}};
  EXPECT_EQ(run(command).output, std::string("/\n1 ") + std::getenv("HOME") + "\n");
}

TEST(Process, SaysWhatCannotBeStarted) {
  Command command;
  command.words = {"/no/such/program"};
  const ProcessResult result = run(command);
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_EQ(result.output, "cannot start /no/such/program: No such file or directory\n");
  Command elsewhere = shell("true");
  elsewhere.folder = "/no/such/folder";
  EXPECT_EQ(run(elsewhere).output, "cannot enter /no/such/folder: No such file or directory\n");
}

TEST(Process, ReportsTheSignalThatEndedIt) {
  EXPECT_EQ(run(shell("kill -SEGV $$")).exit_code, 128 + SIGSEGV);
}

TEST(Process, EndsAtItsDeadlineWithEverythingItStarted) {
  Command command = shell("sleep 300 & echo $!; sleep 300");
  command.deadline = milliseconds(200);
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_TRUE(ends_soon(static_cast<pid_t>(std::stoi(result.output))));
}

TEST(Process, DoesNotWaitForWhatItLeftRunning) {
  const ProcessResult result = run(shell("sleep 300 & echo $!"));
  EXPECT_TRUE(result.ok()) << "the sleeping process holds the pipe open";
  EXPECT_TRUE(ends_soon(static_cast<pid_t>(std::stoi(result.output))));
}

TEST(Process, EndsTheProgramWhenThisProcessIsToldToEnd) {
  EXPECT_EXIT(
      {
        const pid_t own = getpid();
        if (fork() == 0) {  // not a thread: the signal must meet the one thread that waits
          std::this_thread::sleep_for(milliseconds(200));
          kill(own, SIGTERM);
          _exit(0);
        }
        const ProcessResult result = run(shell("sleep 300"));
        _exit(result.interrupted ? 1 : 2);  // not reached: the signal takes effect when run returns
      },
      ::testing::KilledBySignal(SIGTERM),
      "");
}

TEST(Process, KeepsLargeOutputs) {
  EXPECT_EQ(run(shell("head -c 300000 /dev/zero | tr '\\0' x")).output.size(), 300000u);
}

TEST(Display, QuotesWhatAShellWouldSplit) {
  Command command;
  command.words = {"bash", "-c", "echo a; b", "", "plain/path.sh"};
  EXPECT_EQ(display(command), "bash -c 'echo a; b' '' plain/path.sh");
}

}  // namespace
}  // namespace shmem_bind
