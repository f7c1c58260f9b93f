#include "sim/core/job.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include "sim/core/config.h"
#include "sim/core/control.h"
#include "sim/core/doorbell.h"
#include "sim/core/hand_over.h"
#include "sim/core/memory.h"
#include "sim/core/peer_watch.h"
#include "sim/core/rendezvous.h"
#include "sim/core/segment.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Job {
  JobOptions options;
  Segment segment;
  std::unique_ptr<PeerWatch> watch;
};

std::atomic<Job*> g_job{nullptr};  // of this process; the one object behind the C API

void forget_in_child() {
  g_job.store(nullptr);
}  // the parent is still in the job, the child never was

Job* job() {
  return g_job.load(std::memory_order_acquire);
}

Status fault(JoinFault code, std::string message) {
  return failed(static_cast<int32_t>(code), std::move(message));
}

// What a PE tells the others.
struct Introduction {
  int pe_count = 0;
  uint64_t heap_bytes = 0;
  pid_t pid = 0;
  int file = -1;
  std::string name;

  std::string text() const {
    return fmt::format("{} {} {} {} {}", pe_count, heap_bytes, pid, file, name);
  }
  static Introduction parse(const std::string& text) {
    Introduction result;
    std::istringstream in(text);
    in >> result.pe_count >> result.heap_bytes >> result.pid >> result.file >> result.name;
    return result;
  }
};

// Exchanges introductions over PE 0's store. The server must live until everybody has all of them;
// the barrier at the end of join_job sees to that.
Status meet(const JobOptions& options, const Introduction& mine, std::vector<Introduction>& all) {
  const auto deadline = Clock::now() + options.timeout;
  KeyValueClient client;
  Status status = client.connect(options.host, options.port, deadline);
  if (status.ok()) {
    status = client.set(fmt::format("pe/{}", options.pe), mine.text());
  }
  for (int pe = 0; pe < options.pe_count && status.ok(); ++pe) {
    std::string text;
    status = client.get(fmt::format("pe/{}", pe), deadline, text);
    if (!status.ok()) {
      status.message = fmt::format("PE {} of {}: {}", options.pe, options.pe_count, status.message);
      return status;
    }
    all.push_back(Introduction::parse(text));
    const Introduction& other = all.back();
    if (other.pe_count != mine.pe_count || other.heap_bytes != mine.heap_bytes) {
      return fault(
          JoinFault::kMismatch,
          fmt::format(
              "PE {} joins with {} PEs and {} heap bytes, PE {} with {} PEs and {} heap bytes; "
              "they must be equal on all PEs",
              options.pe,
              mine.pe_count,
              mine.heap_bytes,
              pe,
              other.pe_count,
              other.heap_bytes));
    }
  }
  return status;
}

Status map_all(Job& fresh, const std::vector<Introduction>& all) {
  for (int pe = 0; pe < fresh.options.pe_count; ++pe) {
    const Introduction& other = all[static_cast<size_t>(pe)];
    const bool own = pe == fresh.options.pe;
    const int file = own ? own_memory_file() : receive_file(other.name, other.pid, other.file);
    const bool mapped = file >= 0 && fresh.segment.map(pe, file);
    const int error = errno;
    if (!own && file >= 0) {
      close(file);
    }
    if (!mapped) {
      return fault(JoinFault::kMemory,
                   fmt::format("PE {} cannot map the memory of PE {} (pid {}): {}",
                               fresh.options.pe,
                               pe,
                               other.pid,
                               std::strerror(error)));
    }
  }
  return {};
}

Status prepare_memory(const JobOptions& options, Segment& segment) {
  clear_control(own_control());
  // Cut and grown again, so that the heap starts as zeroes.
  if (ftruncate(own_memory_file(), static_cast<off_t>(kControlBytes)) != 0 ||
      ftruncate(own_memory_file(), static_cast<off_t>(Segment::file_bytes(options.heap_bytes))) !=
          0 ||
      !segment.reserve(options.pe_count, options.heap_bytes, options.heap_alignment)) {
    return fault(JoinFault::kMemory,
                 fmt::format("PE {}: no room for {} heaps of {} bytes: {}",
                             options.pe,
                             options.pe_count,
                             options.heap_bytes,
                             std::strerror(errno)));
  }
  return {};
}

// Waits at the barrier of the segment. `watch` may be null before the watch has begun.
Status wait_at_barrier(const Segment& segment, const JobOptions& options, const PeerWatch* watch) {
  Control& meeting = segment.control(0);
  const uint32_t generation = meeting.barrier_generation.load();
  if (meeting.barrier_arrived.fetch_add(1) + 1 == static_cast<uint32_t>(options.pe_count)) {
    meeting.barrier_arrived = 0;
    advance_and_wake(meeting.barrier_generation, meeting.barrier_sleeping);
    return {};
  }
  const auto deadline = Clock::now() + options.timeout;
  while (meeting.barrier_generation.load() == generation) {
    if (Clock::now() >= deadline) {
      return failed(kSynchronizeTimeout,
                    fmt::format("PE {}: barrier of {} PEs: only {} arrived within {} ms",
                                options.pe,
                                options.pe_count,
                                meeting.barrier_arrived.load(),
                                options.timeout.count()));
    }
    if (watch != nullptr) {
      if (Status status = watch->status(); !status.ok()) {
        return status;
      }
    }
    adaptive_wait(meeting.barrier_generation, meeting.barrier_sleeping, generation, 50ms);
  }
  return {};
}

void register_heaps(const Job& joined) {
  for (int pe = 0; pe < joined.options.pe_count; ++pe) {
    add_region({joined.segment.heap(pe),
                joined.segment.heap_bytes(),
                MemoryKind::kSymmetric,
                pe % static_cast<int>(config().devices)});
  }
}

Status join_with(const JobOptions& options, std::unique_ptr<Job>& result) {
  auto fresh = std::make_unique<Job>();
  fresh->options = options;
  if (Status status = prepare_memory(options, fresh->segment); !status.ok()) {
    return status;
  }
  std::vector<Introduction> all(1);
  all[0].pid = getpid();
  std::unique_ptr<KeyValueServer> server;
  std::unique_ptr<HandOver> hand_over;
  if (options.pe_count > 1) {
    if (options.pe == 0) {
      Status status =
          KeyValueServer::start(options.host, options.port, options.listener_fd, server);
      if (!status.ok()) {
        return status;
      }
    }
    hand_over = std::make_unique<HandOver>(own_memory_file());
    all.clear();
    const Introduction mine{
        options.pe_count, options.heap_bytes, getpid(), own_memory_file(), hand_over->name()};
    if (Status status = meet(options, mine, all); !status.ok()) {
      return status;
    }
  }
  if (Status status = map_all(*fresh, all); !status.ok()) {
    return status;
  }
  g_job.store(fresh.get(), std::memory_order_release);  // the watch looks at control pages
  std::vector<pid_t> pids;
  for (const Introduction& item : all) {
    pids.push_back(item.pid);
  }
  fresh->watch = std::make_unique<PeerWatch>(options.pe, pids);
  Status status = wait_at_barrier(fresh->segment, options, fresh->watch.get());
  if (!status.ok()) {
    fresh->watch.reset();
    g_job.store(nullptr);
    return fault(JoinFault::kTimeout, status.message);
  }
  result = std::move(fresh);
  return {};
}

}  // namespace

Status join_job(const JobOptions& options) {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_in_child);
  static_cast<void>(registered);
  if (in_job()) {
    return fault(JoinFault::kMismatch, "this process is in a job already: leave it first");
  }
  if (options.pe_count < 1 || options.pe_count > static_cast<int>(kMaxPes) || options.pe < 0 ||
      options.pe >= options.pe_count) {
    return fault(JoinFault::kMismatch,
                 fmt::format("PE {} of {}: 0 <= pe < pe_count <= {} is needed",
                             options.pe,
                             options.pe_count,
                             kMaxPes));
  }
  if (options.pe_count > 1 && options.listener_fd < 0 && !is_loopback(options.host)) {
    return fault(
        JoinFault::kEndpoint,
        fmt::format(
            "endpoint {}:{} is not a loopback address; the PEs of a simulated job share one "
            "host: use 127.0.0.1",
            options.host,
            options.port));
  }
  std::unique_ptr<Job> joined;
  Status status = join_with(options, joined);
  if (status.ok()) {
    register_heaps(*joined);
    g_job.store(joined.release(), std::memory_order_release);
  }
  return status;
}

Status leave_job() {
  Job* leaving = job();
  if (leaving == nullptr) {
    return {};
  }
  Status status = job_barrier();
  own_control().left = 1;
  if (status.ok()) {
    status = job_barrier();  // nobody ends before everybody is seen to have left
  }
  leaving->watch.reset();
  for (int pe = 0; pe < leaving->options.pe_count; ++pe) {
    remove_region(leaving->segment.heap(pe));
  }
  g_job.store(nullptr, std::memory_order_release);
  delete leaving;
  return status;
}

bool in_job() {
  return job() != nullptr;
}
int job_pe() {
  return job() == nullptr ? -1 : job()->options.pe;
}
int job_pe_count() {
  return job() == nullptr ? -1 : job()->options.pe_count;
}

Status job_barrier() {
  const Job* joined = job();
  if (joined == nullptr) {
    return {};
  }
  return wait_at_barrier(joined->segment, joined->options, joined->watch.get());
}

Status job_all_gather(const void* mine, size_t bytes, void* all) {
  const Job* joined = job();
  if (joined == nullptr || bytes > kGatherBytes) {
    return failed(
        kSynchronizeTimeout,
        fmt::format("all-gather of {} bytes: at most {} bytes, in a job", bytes, kGatherBytes));
  }
  std::memcpy(own_control().gather, mine, bytes);
  if (Status status = job_barrier(); !status.ok()) {
    return status;
  }
  for (int pe = 0; pe < joined->options.pe_count; ++pe) {
    std::memcpy(static_cast<std::byte*>(all) + static_cast<size_t>(pe) * bytes,
                joined->segment.control(pe).gather,
                bytes);
  }
  return job_barrier();
}

Status job_status() {
  const Job* joined = job();
  return joined == nullptr || joined->watch == nullptr ? Status{} : joined->watch->status();
}

void abort_job(int exit_code, std::string_view reason) {
  fmt::print(stderr, "shmem-sim: PE {} (pid {}) ends the job: {}\n", job_pe(), getpid(), reason);
  std::fflush(stderr);
  Control& control = own_control();
  const size_t length = std::min(reason.size(), sizeof control.abort_reason - 1);
  std::memcpy(control.abort_reason, reason.data(), length);
  control.abort_reason[length] = '\0';
  control.abort_code = exit_code == 0 ? 1 : exit_code;
  _exit(exit_code);
}

std::byte* heap_base(int pe) {
  return job()->segment.heap(pe);
}
uint64_t heap_bytes() {
  return job() == nullptr ? 0 : job()->segment.heap_bytes();
}

SymmetricPlace symmetric_place(const void* address) {
  const Job* joined = job();
  return joined == nullptr || address == nullptr ? SymmetricPlace{}
                                                 : joined->segment.place(address);
}

std::byte* user_control(int pe) {
  return job()->segment.user_control(pe);
}
Control& job_control(int pe) {
  return job()->segment.control(pe);
}

}  // namespace shmem_sim
