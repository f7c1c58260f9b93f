#include "sim/core/job.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/config.h"
#include "sim/core/control.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"
#include "sim/core/hand_over.h"
#include "sim/core/meeting.h"
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
  std::unique_ptr<PeerWatch> watch;                 // null when there are no peers
  std::atomic<const PeerWatch*> watching{nullptr};  // the same, for other threads
  bool met = false;  // the barrier at the end of join_job is behind us
};

std::atomic<Job*> g_job{nullptr};  // of this process; the one object behind the C API

void forget_job_in_child() {
  g_job.store(nullptr);
}  // the parent is still in the job, the child never was

// on_exit(3): the others may learn how this process ended only after its parent has forgotten it.
void note_exit(int status, void*) {
  if (status == 0 && g_job.load() != nullptr) {
    set_fate(own_control(), Fate::kExitsWell, "exited with code 0");
  }
}

Job* job() {
  return g_job.load(std::memory_order_acquire);
}

Status fault(JoinFault code, std::string message) {
  return failed(static_cast<int32_t>(code), std::move(message));
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

Status status_of(const Job& joined) {
  const PeerWatch* watch = joined.watching.load(std::memory_order_acquire);
  return watch == nullptr ? Status{} : watch->status();
}

// "PE 2 and PE 5": those that have entered fewer barriers than this one.
std::string missing_pes(const Job& joined) {
  const uint32_t mine = own_control().barriers_entered;
  std::string text;
  for (int pe = 0; pe < joined.options.pe_count; ++pe) {
    if (joined.segment.control(pe).barriers_entered.load() < mine) {
      text += fmt::format("{}PE {}", text.empty() ? "" : " and ", pe);
    }
  }
  return text.empty() ? "nobody" : text;
}

// While the PEs join: one that could not says so in its pages.
Status somebody_failed(const Job& joined) {
  for (int pe = 0; pe < joined.options.pe_count && !joined.met; ++pe) {
    const Control& control = joined.segment.control(pe);
    if (control.fate.load(std::memory_order_acquire) == Fate::kNotJoined) {
      return failed(kPeerLost, fmt::format("PE {} could not join: {}", pe, reason_of(control)));
    }
  }
  return {};
}

std::chrono::milliseconds barrier_timeout(const Job& joined) {
  if (!joined.met) {
    return joined.options.timeout;
  }
  const std::chrono::milliseconds limit(config().wait_timeout_ms);
  const auto wanted = joined.options.barrier_timeout;
  return wanted <= 0ms ? limit : std::min(wanted, limit);
}

// Takes back this PE's arrival. False when the barrier has completed meanwhile.
bool withdraw_arrival(Control& meeting, uint32_t generation) {
  uint64_t state = meeting.barrier_state.load();
  while (state >> 32 == generation) {
    if (meeting.barrier_state.compare_exchange_weak(state, state - 1)) {
      own_control().barriers_entered.fetch_sub(1);
      return true;
    }
  }
  return false;
}

Status give_up_barrier(const Job& joined, uint32_t generation) {
  const std::string text =
      fmt::format("PE {}: a barrier of {} PEs did not end within {} ms: {} did not come",
                  joined.options.pe,
                  joined.options.pe_count,
                  barrier_timeout(joined).count(),
                  missing_pes(joined));
  if (!withdraw_arrival(joined.segment.control(0), generation)) {
    return {};
  }
  if (joined.met) {
    report({"wait-deadline", text});
  }
  return failed(kSynchronizeTimeout, text);
}

Status wait_at_barrier(const Job& joined) {
  Control& meeting = joined.segment.control(0);
  own_control().barriers_entered.fetch_add(1);
  const uint64_t before = meeting.barrier_state.fetch_add(1);
  const auto generation = static_cast<uint32_t>(before >> 32);
  if ((before & 0xffffffffu) + 1 == static_cast<uint64_t>(joined.options.pe_count)) {
    meeting.barrier_state = uint64_t{generation + 1} << 32;
    advance_and_wake(meeting.barrier_generation, meeting.barrier_sleeping);
    return {};
  }
  const auto deadline = Clock::now() + barrier_timeout(joined);
  while (meeting.barrier_generation.load() == generation) {
    Status status = status_of(joined);
    if (status.ok()) {
      status = somebody_failed(joined);
    }
    if (!status.ok()) {
      return status;
    }
    if (Clock::now() >= deadline) {
      return give_up_barrier(joined, generation);
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

// Begins to watch the peers and waits until all have come so far.
Status enter(Job& fresh, const std::vector<Introduction>& all) {
  g_job.store(&fresh, std::memory_order_release);  // the watch looks at control pages
  std::vector<pid_t> pids;
  for (const Introduction& item : all) {
    pids.push_back(item.pid);
  }
  if (all.size() > 1) {
    fresh.watch = std::make_unique<PeerWatch>(fresh.options.pe, pids);
    fresh.watching = fresh.watch.get();
  }
  const Status status = wait_at_barrier(fresh);
  fresh.met = status.ok();
  return status.ok() ? status : fault(JoinFault::kTimeout, status.message);
}

// On failure `entered` is the job when it has been entered already: to be left again.
Status join_with(const JobOptions& options, std::unique_ptr<Job>& entered) {
  auto fresh = std::make_unique<Job>();
  fresh->options = options;
  Status status = prepare_memory(options, fresh->segment);
  std::vector<Introduction> all(options.pe_count == 1 ? 1 : 0);
  Meeting meeting;
  if (status.ok() && options.pe_count > 1) {
    status = meet_peers(options, meeting, all);
  }
  if (status.ok()) {
    status = map_all(*fresh, all);
  }
  if (status.ok()) {
    entered = std::move(fresh);
    status = enter(*entered, all);
  }
  if (!status.ok()) {
    set_fate(own_control(), Fate::kNotJoined, status.message);
  }
  return status;
}

// Other threads may still look at the job: a program may leave it while its kernels run. The memory
// goes, the object stays.
void retire(std::unique_ptr<Job> left) {
  static auto* retired = new std::vector<std::unique_ptr<Job>>;
  if (left->watch != nullptr) {
    left->watch->stop();
  }
  g_job.store(nullptr, std::memory_order_release);  // not before: the watch asks for control pages
  left->segment.unmap();
  retired->push_back(std::move(left));
}

}  // namespace

Status join_job(const JobOptions& options) {
  static const int registered =
      pthread_atfork(nullptr, nullptr, &forget_job_in_child) + on_exit(&note_exit, nullptr);
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
  std::unique_ptr<Job> entered;
  Status status = join_with(options, entered);
  if (status.ok()) {
    register_heaps(*entered);
    static_cast<void>(entered.release());  // g_job has it
  } else if (entered != nullptr) {
    retire(std::move(entered));
  }
  return status;
}

Status leave_job() {
  Job* leaving = job();
  if (leaving == nullptr) {
    return {};
  }
  Status status = job_barrier();
  own_control().jobs_left.fetch_add(1);
  if (status.ok()) {
    status = job_barrier();  // nobody ends before everybody is seen to have left
  }
  for (int pe = 0; pe < leaving->options.pe_count; ++pe) {
    remove_region(leaving->segment.heap(pe));
  }
  retire(std::unique_ptr<Job>(leaving));
  return status;
}

bool in_job() {
  return job() != nullptr;
}
int job_pe() {
  const Job* joined = job();
  return joined == nullptr ? -1 : joined->options.pe;
}
int job_pe_count() {
  const Job* joined = job();
  return joined == nullptr ? -1 : joined->options.pe_count;
}

Status job_barrier() {
  const Job* joined = job();
  if (joined == nullptr) {
    return {};
  }
  return wait_at_barrier(*joined);
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
  return joined == nullptr ? Status{} : status_of(*joined);
}

void abort_job(int exit_code, std::string_view reason) {
  fmt::print(stderr, "shmem-sim: PE {} (pid {}) ends the job: {}\n", job_pe(), getpid(), reason);
  std::fflush(stderr);
  std::fflush(stdout);
  own_control().exit_code = exit_code;
  set_fate(own_control(), Fate::kEndsJob, reason);
  _exit(exit_code);
}

std::byte* heap_base(int pe) {
  const Job* joined = job();
  return joined == nullptr ? nullptr : joined->segment.heap(pe);
}
uint64_t heap_bytes() {
  const Job* joined = job();
  return joined == nullptr ? 0 : joined->segment.heap_bytes();
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
