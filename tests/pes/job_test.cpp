#include "sim/core/job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "sim/core/memory.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"
#include "sim/core/wait.h"
#include "tests/support/pe_group.h"

namespace shmem_sim::test {
namespace {

using namespace std::chrono_literals;

class Pes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, Pes, testing::Values(1, 2, 3, 4, 8));

std::vector<int> all_zero(int count) {
  return std::vector<int>(static_cast<size_t>(count), 0);
}

TEST_P(Pes, MeetShareMemoryAndLeave) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (!join_job(options_of(pe, count, port)).ok()) {
      return 1;
    }
    store_word(heap_base(pe), static_cast<uint64_t>(pe) + 100, 4);
    if (!job_barrier().ok()) {
      return 2;
    }
    for (int other = 0; other < count; ++other) {
      if (load_word(heap_base(other), 4) != static_cast<uint64_t>(other) + 100) {
        return 3;
      }
    }
    std::vector<int> numbers(static_cast<size_t>(count));
    if (!job_all_gather(&pe, sizeof pe, numbers.data()).ok()) {
      return 4;
    }
    for (int other = 0; other < count; ++other) {
      if (numbers[static_cast<size_t>(other)] != other) {
        return 5;
      }
    }
    return leave_job().ok() && !in_job() ? 0 : 6;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Pes, JoinAgainOnTheSamePort) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    for (int round = 0; round < 5; ++round) {
      if (!join_job(options_of(pe, count, port)).ok()) {
        return 1;
      }
      if (load_word(heap_base(pe), 4) != 0) {
        return 2;  // the heap of the last round
      }
      store_word(heap_base(pe), 1, 4);
      if (!leave_job().ok()) {
        return 3;
      }
    }
    return 0;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST_P(Pes, KernelsSignalEachOther) {
  const int count = GetParam();
  const uint16_t port = free_port();
  const auto codes = run_pes(count, [=](int pe) {
    if (!join_job(options_of(pe, count, port)).ok()) {
      return 1;
    }
    set_current_device(0);
    Stream* stream = create_stream(0);
    KernelLaunch launch;
    launch.name = "ring";
    launch.block_count = 4;
    launch.body = [=] {
      const auto offset = static_cast<size_t>(current_block()->index) * 64;
      const std::byte* mine = heap_base(pe) + offset;
      std::byte* next = heap_base((pe + 1) % count) + offset;
      for (uint64_t round = 1; round <= 200; ++round) {
        store_word(next, round, 4);
        const auto arrived = [=] { return load_word(mine, 4) >= round; };
        const WaitPlace place{"ring", mine, nullptr, nullptr};
        wait_until(place, Ready(arrived));
      }
    };
    enqueue_launch(stream, std::move(launch));
    const bool good = synchronize(stream).ok();
    destroy_stream(stream);
    return good && leave_job().ok() ? 0 : 2;
  });
  EXPECT_EQ(codes, all_zero(count));
}

TEST(Job, DifferentHeapsAreRefusedOnAllPes) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    const Status status = join_job(options_of(pe, 2, port, pe == 0 ? 1 << 20 : 2 << 20));
    return status.code == static_cast<int32_t>(JoinFault::kMismatch) ? 0 : 1;
  });
  EXPECT_EQ(codes[0] + codes[1], 0);
}

TEST(Job, APortInUseIsSaidAtOnce) {
  uint16_t port = 0;
  const int listener = bind_listener("127.0.0.1", 0, port);
  ASSERT_GE(listener, 0);
  const Status status = join_job(options_of(0, 2, port));
  close(listener);
  EXPECT_EQ(status.code, static_cast<int32_t>(JoinFault::kEndpoint));
  EXPECT_NE(status.message.find(std::to_string(port)), std::string::npos);
  EXPECT_FALSE(in_job());
}

TEST(Job, OnlyLoopbackIsAccepted) {
  JobOptions options = options_of(0, 2, 20000);
  options.host = "192.0.2.1";
  EXPECT_EQ(join_job(options).code, static_cast<int32_t>(JoinFault::kEndpoint));
}

TEST(Job, APeThatIsMissingIsATimeoutOfTheOthers) {
  const uint16_t port = free_port();
  const auto codes = run_pes(1, [=](int) {
    JobOptions options = options_of(0, 2, port);
    options.timeout = 300ms;
    return join_job(options).code == static_cast<int32_t>(JoinFault::kTimeout) ? 0 : 1;
  });
  EXPECT_EQ(codes[0], 0);
}

TEST(Job, ADeadPeEndsTheWaitsOfTheOthers) {
  const uint16_t port = free_port();
  const auto begin = std::chrono::steady_clock::now();
  const auto codes = run_pes(3, [=](int pe) {
    if (!join_job(options_of(pe, 3, port)).ok()) {
      return 1;
    }
    if (pe == 1) {
      raise(SIGKILL);
    }
    set_current_device(0);
    Stream* stream = create_stream(0);
    KernelLaunch launch;
    launch.name = "waits";
    launch.body = [=] {
      const std::byte* word = heap_base(pe);
      const auto never = [=] { return load_word(word, 4) != 0; };
      const WaitPlace place{"waits", word, nullptr, nullptr};
      wait_until(place, Ready(never));
    };
    enqueue_launch(stream, std::move(launch));
    const Status status = synchronize(stream);
    const bool named = status.message.find("PE 1") != std::string::npos;
    return status.code == kPeerLost && named && job_barrier().code == kPeerLost ? 0 : 2;
  });
  EXPECT_EQ(codes, (std::vector<int>{0, 128 + SIGKILL, 0}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST(Job, AProcessThatDoesNotNoticeADeadPeIsEnded) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    if (!join_job(options_of(pe, 2, port)).ok()) {
      return 1;
    }
    if (pe == 1) {
      _exit(9);
    }
    std::this_thread::sleep_for(20s);  // in code of its own
    return 0;
  });
  EXPECT_EQ(codes, (std::vector<int>{70, 9}));
}

// Public programs leave so.
TEST(Job, AProcessThatExitsWellWithoutLeavingEndsOnlyTheWaits) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    setenv("SHMEM_SIM_PEER_GRACE_MS", "100", 1);
    if (!join_job(options_of(pe, 2, port)).ok()) {
      return 1;
    }
    if (pe == 1) {
      std::exit(0);
    }
    const Status met = job_barrier();
    std::this_thread::sleep_for(300ms);  // computes on its own
    return met.code == kPeerLost && met.message.find("PE 1") != std::string::npos ? 0 : 2;
  });
  EXPECT_EQ(codes, (std::vector<int>{0, 0}));
}

TEST(Job, AddressesOfEveryHeapAreToldApart) {
  const uint16_t port = free_port();
  const auto codes = run_pes(2, [=](int pe) {
    if (!join_job(options_of(pe, 2, port)).ok()) {
      return 1;
    }
    const SymmetricPlace there = symmetric_place(heap_base(1 - pe) + 77);
    const SymmetricPlace end = symmetric_place(heap_base(0) + heap_bytes());
    int local = 0;
    const bool good = there.pe == 1 - pe && there.offset == 77 && end.pe < 0 &&
                      symmetric_place(&local).pe < 0 &&
                      find_region(heap_base(pe))->kind == MemoryKind::kSymmetric;
    return good && leave_job().ok() ? 0 : 2;
  });
  EXPECT_EQ(codes, all_zero(2));
}

}  // namespace
}  // namespace shmem_sim::test
