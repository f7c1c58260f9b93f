#include "sim/core/finding.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "sim/core/block.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

namespace shmem_sim {
namespace {

using tests::findings;
using tests::in_child;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a child has reported that runs `body` as a kernel and dies of `expected_signal`.
std::string findings_of_a_fault(int expected_signal, const std::function<void()>& body) {
  std::fflush(nullptr);
  const int file = memfd_create("findings", 0);
  const pid_t child = fork();
  if (child == 0) {
    tests::run_as_child({{"SHMEM_SIM_FINDINGS", "/proc/self/fd/" + std::to_string(file)}}, [&] {
      signal(expected_signal, SIG_DFL);  // not a sanitizer's
      set_current_device(0);
      enqueue_launch(default_stream(0), {"faulty", 3, body, {}});
      synchronize_device(0);
    });
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == expected_signal) << status;
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(pread(file, text.data(), text.size(), 0)));
  close(file);
  return text;
}

// Uses `depth` KiB of stack.
__attribute__((noinline)) int descend(int depth) {
  volatile char frame[1024] = {};
  frame[depth % 1024] = 1;
  return depth == 0 ? frame[0] : descend(depth - 1) + frame[1];
}

TEST(Finding, IsOneLineOfJson) {
  in_child({}, [] {
    set_current_device(2);
    report({"some-rule", "a \"quoted\"\nsecond line"});
    EXPECT_EQ(finding_count(), 1);
    const std::string line = findings();
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_TRUE(contains(line, "\"rule\":\"some-rule\"")) << line;
    EXPECT_TRUE(contains(line, "a \\\"quoted\\\"\\nsecond line")) << line;
    EXPECT_TRUE(contains(line, "\"device\":2")) << line;
    EXPECT_TRUE(contains(line, "\"pid\":" + std::to_string(getpid()))) << line;
    EXPECT_FALSE(contains(line, "kernel")) << line;
  });
}

TEST(Finding, NamesTheBlockAndTheDeviceOfItsStream) {
  in_child({}, [] {
    set_current_device(0);
    enqueue_launch(default_stream(3),
                   {"copy",
                    2,
                    [] {
                      current_block()->last_call = "Put";
                      current_block()->line = {"copy.cpp", 12};
                      if (current_block()->index == 1) {
                        report({"some-rule", "detail"});
                      }
                    },
                    {}});
    EXPECT_TRUE(synchronize_device(3).ok());
    EXPECT_EQ(current_device(), 0);
    for (const char* part : {"\"kernel\":\"copy\"",
                             "\"block\":1",
                             "\"call\":\"Put\"",
                             "\"device\":3",
                             "\"file\":\"copy.cpp\"",
                             "\"line\":12"}) {
      EXPECT_TRUE(contains(findings(), part)) << part;
    }
  });
}

TEST(Finding, AreCountedAnewInAForkedChild) {
  in_child({}, [] {
    report({"some-rule", "detail"});
    in_child({}, [] { EXPECT_EQ(finding_count(), 0); });
  });
}

TEST(Fault, OfASmallAddressIsSaidToBeAUnifiedBufferAddress) {
  const std::string line = findings_of_a_fault(SIGSEGV, [] {
    current_block()->last_call = "DataCopy";
    current_block()->line = {"faulty.cpp", 7};
    if (current_block()->index == 2) {
      *reinterpret_cast<volatile int*>(uintptr_t{0x1000}) = 1;
    }
  });
  for (const char* part : {"\"rule\":\"kernel-fault\"",
                           "unified-buffer address",
                           "0x1000",
                           "\"kernel\":\"faulty\"",
                           "\"block\":2",
                           "\"call\":\"DataCopy\"",
                           "\"line\":7"}) {
    EXPECT_TRUE(contains(line, part)) << part << " in " << line;
  }
}

TEST(Fault, OfAStackThatIsUsedUpIsNamed) {
  const std::string line = findings_of_a_fault(SIGSEGV, [] { descend(1000); });
  EXPECT_TRUE(contains(line, "stack of the block is used up")) << line;
}

TEST(Fault, OutsideABlockIsNotOurs) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    tests::run_as_child({}, [] {
      signal(SIGSEGV, [](int) { _exit(findings().empty() ? 42 : 43); });
      enqueue_launch(default_stream(0), {"good", 1, [] {}, {}});
      EXPECT_TRUE(synchronize_device(0).ok());
      raise(SIGSEGV);
      *reinterpret_cast<volatile int*>(uintptr_t{0x1000}) = 1;
    });
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

}  // namespace
}  // namespace shmem_sim
