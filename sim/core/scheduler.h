#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "sim/core/block.h"
#include "sim/core/device_work.h"
#include "sim/core/fiber.h"
#include "sim/core/stream.h"
#include "sim/core/wait.h"

// The machine of one process: its streams, its live blocks and the thread that runs them. One
// thread at a time leads: it takes ready work from the streams and resumes ready blocks. That is
// the device thread, or a thread that synchronizes while the device thread has nothing to do.
// Sources: scheduler.cpp (streams and leadership), scheduler_blocks.cpp (launches and their
// blocks), scheduler_idle.cpp (when nothing can run). Internal to sim/core.

namespace shmem_sim {

using SteadyTime = std::chrono::steady_clock::time_point;

class Event {
 public:
  uint64_t recorded = 0;   // records enqueued; guarded by the scheduler's mutex, as all of this
  uint64_t completed = 0;  // number of the last completed record
  int64_t time_ns = 0;
  int device = -1;  // of the stream it was last recorded on
};

struct StreamItem {
  enum class Kind { kTask, kRecord, kWait, kLaunch };
  Kind kind = Kind::kTask;
  const char* name = "";
  Task task;
  std::shared_ptr<Event> event;
  uint64_t number = 0;  // of the record that is made or waited for
  std::unique_ptr<KernelLaunch> launch;
};

class Stream {
 public:
  int device = 0;
  int32_t id = 0;
  std::deque<StreamItem> queue;
  uint64_t enqueued = 0;
  uint64_t completed = 0;
  bool listed = false;             // in the scheduler's list of streams with work
  bool doomed = false;             // destroyed from device work: goes when it has none left
  std::shared_ptr<Launch> launch;  // running
  SteadyTime not_before{};         // a straggler's launch starts late
};

// A block that waits: what for, and since when (filled in when the process first finds nothing else
// to do).
struct ParkedWait {
  const Ready* ready = nullptr;
  const WaitPlace* place = nullptr;
  SteadyTime since{};
  bool timed = false;
};

// One block with its fiber. Used again for later launches, so that a launch maps and allocates
// nothing.
struct LiveBlock {
  LiveBlock();  // the fiber runs the body of block.launch
  void rearm();

  Block block;
  Fiber fiber;
  ParkedWait wait;        // ready != null: parked
  SteadyTime drain_at{};  // code has ended, transfers are still outstanding
  bool code_ended = false;
  bool done = false;
};

class Launch {
 public:
  KernelLaunch description;
  Stream* stream = nullptr;
  std::vector<std::unique_ptr<LiveBlock>> blocks;
  size_t left = 0;
  int64_t arrived = 0;  // at sync_all_blocks
  uint64_t generation = 0;
  Status status;  // first failure
  bool failed() const { return !status.ok(); }
};

// A holding time of the seed's choice, up to hold_us.
std::chrono::microseconds chosen_hold();

// Thrown inside a block whose launch has failed; caught at the block's entry.
struct KernelAborted {};

class Scheduler {
 public:
  // Of this process; a forked child gets its own.
  static Scheduler& instance();

  Stream* create_stream(int device);
  Stream* default_stream(int device);
  bool is_stream(const void* handle);
  void destroy_stream(Stream* stream);
  void enqueue(Stream* stream, StreamItem item);
  void record(const std::shared_ptr<Event>& event, Stream* stream);
  void wait(Stream* stream, const std::shared_ptr<Event>& event);

  // Runs or awaits work until `done` (called with the mutex held) is true. False at the timeout.
  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds timeout);

  Status device_error(int device);
  void reset_device(int device);
  std::mutex& mutex() { return mutex_; }
  std::vector<std::shared_ptr<Stream>> streams_of(int device);

  // The running block parks until its wait is over; returns kTimeout when the launch has failed
  // meanwhile.
  void park(const WaitPlace& place, const Ready& ready);

  // Ends the device thread, at the latest after a second when a task or block does not come back:
  // the process is about to exit and what device work uses is about to be destroyed. A thread that
  // synchronizes still runs work itself.
  void stop_device_thread();

  // Text of all parked waits, one a line. For reports, on the leading thread.
  std::string describe_waits();

 private:
  Scheduler();
  struct Waiter {  // a thread inside run_until
    const std::function<bool()>* done;
    std::condition_variable wake;
  };

  void device_loop();
  void lead(const std::function<bool()>* done, std::optional<SteadyTime> deadline);
  void pass_on();       // with the mutex held: somebody takes the lead when there is work
  void tell_waiters();  // with the mutex held: wakes those whose work is done
  bool step();          // true when something was done
  bool serve_streams();
  bool serve_stream(Stream& stream, std::unique_lock<std::mutex>& lock);
  Status run_task(StreamItem& item, int device);
  bool starts_late(Stream& stream);
  void forget(const Stream* stream);
  bool run_blocks();
  bool run_block(LiveBlock& live);  // true when something was done
  void resume(LiveBlock& live);
  void start_launch(Stream& stream, std::unique_ptr<KernelLaunch> description);
  std::unique_ptr<LiveBlock> take_block();
  void give_back(std::unique_ptr<LiveBlock> live);
  bool settle(LiveBlock& live);  // after its code ended; true when the block is done
  void finish_launches();
  void finish_item(Stream& stream);
  void fail_device(int device, const Status& status);
  bool complete_something_late();  // adversarial: one outstanding transfer, when its time has come
  void check_deadlines(SteadyTime now);
  void sleep(uint32_t seen, std::optional<SteadyTime> deadline);
  bool has_work() const { return !active_.empty(); }

  std::mutex mutex_;  // streams, queues, events, errors, leadership; not the running of blocks
  std::condition_variable work_;     // the device thread waits for something to lead
  std::condition_variable stopped_;  // of the device thread
  std::vector<Waiter*> waiters_;     // threads that synchronize; they rather lead than wait
  bool leading_ = false;
  bool leader_sleeps_ = false;
  enum class DeviceThread { kNone, kRuns, kStops, kStopped };
  DeviceThread device_thread_ = DeviceThread::kNone;
  std::thread::id first_thread_;
  std::vector<std::shared_ptr<Stream>> owned_;
  std::unordered_set<const void*> handles_;
  std::vector<Stream*> defaults_;
  std::vector<Stream*> active_;  // with queued or running work
  std::vector<Status> errors_;
  int32_t next_id_ = 0;
  uint64_t arrivals_ =
      0;  // items ever enqueued: a leader that is about to sleep sees what came meanwhile
  SteadyTime next_start_ = SteadyTime::max();     // of a launch that starts late; leader only
  std::vector<std::shared_ptr<Launch>> running_;  // only the leader touches it
  std::vector<LiveBlock*> order_;  // live blocks in the order they are resumed; leader only
  std::vector<LiveBlock*> round_;  // those that run now, in a chosen order; leader only
  std::vector<std::unique_ptr<LiveBlock>> spare_;  // leader only
  std::vector<int> free_slots_;
  int next_slot_ = 0;
  SteadyTime late_at_{};  // when complete_something_late may act
};

}  // namespace shmem_sim
