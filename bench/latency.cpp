// Latencies of the simulated machine, as one JSON list: bare barrier, job barrier, kernel signals,
// empty launches. Each row is measured in processes of its own, so that no row leaves state to the
// next.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "sim/core/job.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"
#include "sim/core/wait.h"

namespace {

using shmem_sim::Status;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

void require(const Status& status) {
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", status.message);
    _exit(1);
  }
}

// What PE 0 measured, in memory shared by the forked PEs.
struct Result {
  std::atomic<uint32_t> arrived;
  std::atomic<uint32_t> generation;
  double us;
};

uint16_t port_for(int pe_count) {
  return static_cast<uint16_t>(20000 + (getpid() + pe_count * 101) % 20000);
}

// Runs `body` in `pe_count` forked PEs that have joined one job; returns what PE 0 wrote.
double in_job(int pe_count, const std::function<double(int pe)>& body) {
  auto* result = static_cast<Result*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const uint16_t port = port_for(pe_count);
  for (int pe = 0; pe < pe_count; ++pe) {
    if (fork() == 0) {
      shmem_sim::JobOptions options;
      options.pe = pe;
      options.pe_count = pe_count;
      options.host = "127.0.0.1";
      options.port = port;
      options.heap_bytes = 1u << 20;
      require(shmem_sim::join_job(options));
      shmem_sim::set_current_device(pe % shmem_sim::device_count());
      const double us = body(pe);
      if (pe == 0) {
        result->us = us;
      }
      require(shmem_sim::leave_job());
      _exit(0);
    }
  }
  bool good = true;
  for (int pe = 0; pe < pe_count; ++pe) {
    int status = 0;
    wait(&status);
    good = good && status == 0;
  }
  const double us = result->us;
  munmap(result, 4096);
  if (!good) {
    std::exit(1);
  }
  return us;
}

double time_rounds(int rounds, int calls, const std::function<void()>& action) {
  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    require(shmem_sim::job_barrier());
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) {
      action();
    }
    samples.push_back(microseconds_since(begin) / calls);
  }
  return median(samples);
}

// A counter barrier that yields, of processes that share nothing else: how busy the machine is.
double bare_barrier(int pe_count) {
  auto* shared = static_cast<Result*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto meet = [&] {
    const uint32_t generation = shared->generation.load();
    if (shared->arrived.fetch_add(1) + 1 == static_cast<uint32_t>(pe_count)) {
      shared->arrived = 0;
      shared->generation.store(generation + 1);
      return;
    }
    while (shared->generation.load() == generation) {
      std::this_thread::yield();
    }
  };
  for (int pe = 0; pe < pe_count; ++pe) {
    if (fork() == 0) {
      std::vector<double> samples;
      for (int round = 0; round < 7; ++round) {
        meet();
        const auto begin = Clock::now();
        for (int i = 0; i < 200; ++i) {
          meet();
        }
        samples.push_back(microseconds_since(begin) / 200);
      }
      if (pe == 0) {
        shared->us = median(samples);
      }
      _exit(0);
    }
  }
  while (wait(nullptr) > 0) {
  }
  const double us = shared->us;
  munmap(shared, 4096);
  return us;
}

// Every block of PE p plays ping-pong with the same block of PE p ^ 1; microseconds per signal of
// the whole job.
double signals(int pe_count, int block_count, int pings) {
  return in_job(pe_count, [=](int pe) {
    shmem_sim::Stream* stream = shmem_sim::create_stream(shmem_sim::current_device());
    int base = 0;
    const double us = time_rounds(5, 1, [&] {
      shmem_sim::KernelLaunch launch;
      launch.name = "ping_pong";
      launch.block_count = block_count;
      launch.body = [=] {
        const auto offset = static_cast<size_t>(shmem_sim::current_block()->index) * 64;
        const std::byte* mine = shmem_sim::heap_base(pe) + offset;
        std::byte* theirs = shmem_sim::heap_base(pe ^ 1) + offset;
        for (int i = 1; i <= pings; ++i) {
          const auto value = static_cast<uint64_t>(base + i);
          const auto arrived = [=] { return shmem_sim::load_word(mine, 4) >= value; };
          shmem_sim::WaitPlace place{"ping_pong", mine, nullptr, nullptr};
          if (pe % 2 == 0) {
            shmem_sim::store_word(theirs, value, 4);
            shmem_sim::wait_until(place, shmem_sim::Ready(arrived));
          } else {
            shmem_sim::wait_until(place, shmem_sim::Ready(arrived));
            shmem_sim::store_word(theirs, value, 4);
          }
        }
      };
      shmem_sim::enqueue_launch(stream, std::move(launch));
      require(shmem_sim::synchronize(stream));
      base += pings;
    });
    shmem_sim::destroy_stream(stream);
    return us / (static_cast<double>(pings) * block_count * pe_count);
  });
}

double empty_launches(int in_flight) {
  return in_job(1, [=](int) {
    shmem_sim::Stream* stream = shmem_sim::create_stream(shmem_sim::current_device());
    const double us = time_rounds(7, 50, [&] {
      for (int i = 0; i < in_flight; ++i) {
        shmem_sim::enqueue_launch(stream, {"empty", 16, [] {}, {}});
      }
      require(shmem_sim::synchronize(stream));
    });
    shmem_sim::destroy_stream(stream);
    return us / in_flight;
  });
}

}  // namespace

int main() {
  std::string rows;
  const auto row = [&](const char* name, int pes, double us) {
    rows += fmt::format("{}{{\"name\": \"{}\", \"pes\": {}, \"us\": {:.3f}}}",
                        rows.empty() ? "" : ", ",
                        name,
                        pes,
                        us);
  };
  for (const int pes : {2, 4, 8}) {
    row("bare barrier", pes, bare_barrier(pes));
    row("job barrier", pes, in_job(pes, [](int) {
          return time_rounds(7, 200, [] { require(shmem_sim::job_barrier()); });
        }));
  }
  row("ping-pong of two blocks, one way", 2, signals(2, 1, 2000));
  row("signal, 16 blocks on each PE", 8, signals(8, 16, 200));
  row("launch of 16 empty blocks, 1000 in flight", 1, empty_launches(1000));
  row("launch of 16 empty blocks and synchronize", 1, empty_launches(1));
  fmt::print("[{}]\n", rows);
}
