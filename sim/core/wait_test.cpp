#include "sim/core/wait.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"
#include "tests/support/in_child.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using tests::findings;
using tests::in_child;

std::string describe_word(const void* context) {
  return "value " + std::to_string(load_word(context, 4)) + ", waits for NE 0";
}

void wait_for_nonzero(const uint32_t* word) {
  const auto nonzero = [word] { return load_word(word, 4) != 0; };
  wait_until({"word_wait", word, &describe_word, word}, Ready(nonzero));
}

int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Wait, OfAHostThreadEndsWhenABlockPublishes) {
  in_child({}, [] {
    alignas(4) static uint32_t word = 0;
    enqueue_launch(default_stream(0), {"writes", 1, [] { store_word(&word, 5, 4); }, {}});
    const auto five = [] { return load_word(&word, 4) == 5; };
    EXPECT_EQ(wait_until({"host", &word}, Ready(five)), WaitResult::kReady);
    EXPECT_TRUE(synchronize_device(0).ok());
  });
}

TEST(Wait, OfABlockIsWokenByAHostThread) {
  in_child({}, [] {
    constexpr int kRounds = 100;
    alignas(4) static uint32_t words[kRounds] = {};
    static std::atomic<int> reached{0};
    enqueue_launch(default_stream(0),
                   {"waits",
                    1,
                    [] {
                      for (const uint32_t& word : words) {
                        wait_for_nonzero(&word);
                        ++reached;
                      }
                    },
                    {}});
    const auto begin = Clock::now();
    for (int round = 0; round < kRounds; ++round) {
      if (round % 10 == 0) {
        std::this_thread::sleep_for(1ms);  // until the process sleeps; otherwise it is about to
      }
      store_word(&words[round], 1, 4);
      while (reached <= round) {
        std::this_thread::yield();
      }
    }
    // A wake-up that is lost costs the 50 ms after which a sleeper looks by itself.
    EXPECT_LT(Clock::now() - begin, kRounds * 10ms);
    EXPECT_TRUE(synchronize_device(0).ok());
  });
}

TEST(Wait, PastItsDeadlineFailsTheKernelAndTellsOfAllWaits) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "150"}}, [] {
    alignas(4) static uint32_t never = 0;
    bool went_on = false;
    enqueue_launch(default_stream(0),
                   {"stuck",
                    3,
                    [&] {
                      if (current_block()->index == 0) {
                        return;
                      }
                      wait_for_nonzero(&never);
                      went_on = true;
                    },
                    {}});
    const auto begin = Clock::now();
    const Status status = synchronize_device(0);
    EXPECT_EQ(status.code, kKernelTimeout);
    EXPECT_GE(Clock::now() - begin, 150ms);
    EXPECT_LT(Clock::now() - begin, 5s);
    EXPECT_FALSE(went_on);
    EXPECT_EQ(finding_count(), 1);
    const std::string text = findings();
    EXPECT_NE(text.find("\"rule\":\"wait-deadline\""), std::string::npos) << text;
    EXPECT_EQ(count_of("word_wait on address", text), 2) << text;
    EXPECT_EQ(count_of("value 0, waits for NE 0", text), 2) << text;
    EXPECT_NE(status.message.find("kernel stuck block 2"), std::string::npos) << status.message;
    EXPECT_EQ(synchronize_device(0).code, kKernelTimeout);  // until the device is reset
    reset_device(0);
    EXPECT_TRUE(synchronize_device(0).ok());
  });
}

// Asks after 150 ms, when the block is parked.
std::string stand_when_asked(bool somebody_listens) {
  static std::atomic<int> heard{0};
  if (somebody_listens) {
    signal(SIGUSR1, [](int) { ++heard; });
  }
  const int file = memfd_create("stderr", 0);
  dup2(file, STDERR_FILENO);
  static uint32_t never = 0;
  enqueue_launch(default_stream(0), {"stuck", 1, [] { wait_for_nonzero(&never); }, {}});
  std::thread asks([somebody_listens] {
    std::this_thread::sleep_for(150ms);
    if (somebody_listens) {
      kill(getpid(), SIGUSR1);
    }
  });
  EXPECT_EQ(synchronize_device(0).code, kKernelTimeout);
  asks.join();
  EXPECT_EQ(heard.load(), somebody_listens ? 1 : 0);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(file, text.data(), text.size(), 0))));
  return text;
}

TEST(Wait, IsShownToWhoAsksWhereTheProcessStands) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "500"}}, [] {
    const std::string text = stand_when_asked(true);
    EXPECT_NE(text.find("stands in\n  kernel stuck block 0: word_wait on address"),
              std::string::npos)
        << text;
    const size_t stack = text.find("C++ stack of the thread");
    EXPECT_NE(stack, std::string::npos) << text;
    EXPECT_NE(text.find("libshmem_sim_core.so(", stack), std::string::npos) << text;
  });
}

TEST(Wait, LeavesTheSignalAloneWhenNobodyListens) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "300"}}, [] {
    EXPECT_EQ(stand_when_asked(false).find("stands in"), std::string::npos);
    struct sigaction now = {};
    sigaction(SIGUSR1, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL);
  });
}

TEST(Wait, AtAMeetingOfAllBlocksHasADeadlineToo) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "100"}}, [] {
    enqueue_launch(default_stream(0),
                   {"unequal",
                    4,
                    [] {
                      if (current_block()->index != 3) {
                        sync_all_blocks();
                      }
                    },
                    {}});
    const Status status = synchronize_device(0);
    EXPECT_EQ(status.code, kKernelTimeout);
    EXPECT_EQ(count_of("SyncAll", status.message), 3) << status.message;
  });
}

TEST(Wait, ThatIsLongButEndsIsNoFinding) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "60000"}}, [] {
    alignas(4) static uint32_t word = 0;
    enqueue_launch(default_stream(0), {"waits", 1, [] { wait_for_nonzero(&word); }, {}});
    std::thread late([] {
      std::this_thread::sleep_for(120ms);
      store_word(&word, 1, 4);
    });
    EXPECT_TRUE(synchronize_device(0).ok());
    late.join();
    EXPECT_EQ(finding_count(), 0);
  });
}

TEST(Wait, OfAHostThreadHasADeadline) {
  in_child({{"SHMEM_SIM_WAIT_TIMEOUT_MS", "50"}}, [] {
    const auto never = [] { return false; };
    EXPECT_EQ(wait_until({"host"}, Ready(never)), WaitResult::kTimeout);
    EXPECT_EQ(finding_count(), 0);  // the caller tells
  });
}

}  // namespace
}  // namespace shmem_sim
